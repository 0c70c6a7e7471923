"""Language models of transformers as they are called by default: with a cache of keys and values among the results, and by ``generate``."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import sol
from examples.networks import torchvision_models
from tests.runtime.models import close

VOCABULARY = 90


@pytest.fixture
def model() -> torch.nn.Module:
    torchvision_models()  # transformers looks for torchvision
    transformers = pytest.importorskip("transformers")
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 64, "bos_token_id": 0, "eos_token_id": 0}
    made = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=VOCABULARY, **sizes))
    made.generation_config.update(pad_token_id=0, eos_token_id=None)
    return made.eval()


def cached(found: Any) -> list[torch.Tensor]:
    """Keys and values of all layers."""
    return [t for layer in found.past_key_values.layers for t in (layer.keys, layer.values)]


def test_the_cache_is_a_result(model: Any) -> None:
    words = torch.randint(0, VOCABULARY, (1, 7))
    fast = sol.optimize(model, {"input_ids": words}, fallback="error")
    with torch.no_grad():
        ours, theirs = fast(input_ids=words), model(input_ids=words)
        assert type(ours) is type(theirs) and type(ours.past_key_values) is type(theirs.past_key_values)
        close((ours.logits, cached(ours)), (theirs.logits, cached(theirs)))
        following = [m(input_ids=words[:, :1], past_key_values=r.past_key_values) for m, r in ((fast, ours), (model, theirs))]
        close(*((r.logits, cached(r)) for r in following))


def test_generating_runs_what_is_compiled(model: Any) -> None:
    words = torch.randint(0, VOCABULARY, (1, 5))
    fast = sol.optimize(model, {"input_ids": words}, fallback="error")
    before = set(map(id, fast._programs))
    options = {"max_new_tokens": 6, "do_sample": False}
    assert torch.equal(fast.generate(words, **options), model.generate(words, **options))
    assert {id(p) for p in fast._programs} - before and all(not p.runner.torch_nodes for p in fast._programs)
    assert len(fast._programs) <= 5  # the length of the cache becomes an open size


def test_a_sliding_window() -> None:
    """Caches shorter than the window, as long as it and full are called for in different ways; no text is compiled for again."""
    torchvision_models()  # transformers looks for torchvision
    transformers = pytest.importorskip("transformers")
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
    windowed = transformers.MistralForCausalLM(transformers.MistralConfig(vocab_size=VOCABULARY, sliding_window=8, **sizes)).eval()
    windowed.generation_config.update(pad_token_id=0, eos_token_id=None)
    words = torch.randint(0, VOCABULARY, (1, 4))
    fast = sol.optimize(windowed, {"input_ids": words})
    options = {"max_new_tokens": 16, "do_sample": False}
    want = windowed.generate(words, **options)
    assert torch.equal(fast.generate(words, **options), want)
    made = fast._ways._made
    assert made <= 8 and torch.equal(fast.generate(words, **options), want) and fast._ways._made == made
