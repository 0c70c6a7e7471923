"""Forward and backward graph of a module, by AOTAutograd and torch's partitioner: what goes into it, and what is changed behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from sol.config import config
from sol.frontend.torch.backward import decompositions, simplify
from sol.frontend.torch.draws import keep_draws
from sol.frontend.torch.equal_values import merge_equal_values
from sol.frontend.torch.lazy_modules import without_code
from sol.frontend.torch.whole_resampling import resampling_kept_whole
from sol.runtime.torch.cheap_values import compute_again
from sol.runtime.torch.late_values import compute_late
from sol.runtime.torch.recomputation import choose_recomputed
from sol.runtime.torch.saved_views import save_longest, save_whole

KEPT_ONCE = {"ban_recompute_materialized_backward": False}
"""Settings of the partitioner. Of a convolution's result, its norm and the activation behind it, one value is kept so, since pointwise
operations make the others of it. By itself it also keeps what the next product reads, to spare the backward pass writing it."""

Compiler = Callable[[fx.GraphModule, Any], Any]


def differentiated(module: fx.GraphModule, examples: Sequence[Any], forward: Compiler, backward: Compiler) -> Callable[..., Any]:
    """The module as AOTAutograd makes it of two graphs. forward, backward: are given these, and give what runs them."""
    from torch._functorch import config as settings  # what takes long to import is imported where it is needed
    from torch._functorch.aot_autograd import aot_module_simplified
    from torch._functorch.partitioners import min_cut_rematerialization_partition
    from torch.utils.checkpoint import CheckpointPolicy

    def partition(joint: fx.GraphModule, inputs: Any, **given: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
        """Both passes, simplified first. Inputs that a layer casts are cast again in the backward pass: then they are parameters there as
        well, which are packed once."""
        simplify(joint)
        merge_equal_values(joint)
        for node in joint.graph.nodes:
            if node.target is torch.ops.aten._to_copy.default and node.args[0].op == "placeholder":
                node.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE
        budget = float(config["training_memory_budget"])
        if budget < 1 and choose_recomputed(joint, given["num_fwd_outputs"], budget):
            budget = 1.0  # what is not marked is kept as is fastest
        draws = keep_draws(joint)
        budget = budget or 1e-9 * draws  # of 0 torch keeps no draw
        with settings.patch({"activation_memory_budget": budget, "cse": False, **KEPT_ONCE}):
            graphs = min_cut_rematerialization_partition(joint, inputs, **given)
        compute_again(*graphs, given["num_fwd_outputs"])
        save_longest(*graphs, given["num_fwd_outputs"])
        save_whole(*graphs, given["num_fwd_outputs"])
        compute_late(graphs[1])
        return graphs

    with settings.patch(donated_buffer=False), without_code(), resampling_kept_whole():  # a donated buffer forbids retain_graph
        compilers: tuple[Any, Any] = (forward, backward)
        return aot_module_simplified(module, examples, *compilers, partition, decompositions())
