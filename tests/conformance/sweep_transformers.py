"""Models of transformers for the sweep: default configurations shrunk by rules on names, inputs made by the names that forward takes."""

from __future__ import annotations

import hashlib
import inspect
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch

from examples.networks import torchvision_models
from tests.conformance.sweep_trial import Inputs, Make, call

os.environ.setdefault("HF_HUB_OFFLINE", "1")
MOST_PARAMETERS = 60_000_000
LENGTH = 16


def names() -> list[str]:
    """Types that AutoModel knows, in an order without meaning that is the same everywhere: the first ones are a sample."""
    torchvision_models()  # transformers looks for torchvision
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    return sorted(MODEL_MAPPING_NAMES, key=lambda n: hashlib.sha256(n.encode()).digest())


def maker(name: str) -> Make:
    """The model of the default configuration, as small as it can be made, with the first inputs that it takes."""
    found: list[tuple[int, int]] = []

    def make() -> tuple[torch.nn.Module, Inputs]:
        if not found:
            found.append(_search(name))
        degree, which = found[0]
        torch.manual_seed(0)
        model = _built(name, degree)
        torch.manual_seed(0)
        return model, list(_inputs(model))[which]

    return make


def _search(name: str) -> tuple[int, int]:
    """(degree of shrinking, index of the inputs) of the first that run. Raises the first failure if none does."""
    failures = []
    for degree in range(len(DEGREES)):
        try:
            model = _built(name, degree)
        except Exception as error:  # a configuration that does not allow that
            failures.append(error)
            continue
        for which, inputs in enumerate(_inputs(model)):
            try:
                call(model, inputs)
                return degree, which
            except Exception as error:
                failures.append(error)
    raise failures[0]


def _built(name: str, degree: int) -> torch.nn.Module:
    torchvision_models()
    from transformers import CONFIG_MAPPING, AutoModel

    config = CONFIG_MAPPING[name]()
    _shrink(config, DEGREES[degree], set())
    with torch.device("meta"):
        size = sum(p.numel() for p in AutoModel.from_config(config).parameters())
    if size > MOST_PARAMETERS:
        raise ValueError(f"{size:,} parameters are too many")
    return AutoModel.from_config(config, dtype=torch.float32).eval()


# -- configurations ----------------------------------------------------------------------------------------------------

Rule = tuple[str, Callable[[int], int]]
_LAYERS: tuple[Rule, ...] = (
    (r"(^|_)(num_|n_)?(hidden_|encoder_|decoder_|text_|vision_)*(layers?|blocks)$|^depth$|num_.*_layers$", lambda v: min(v, 2)),
)
_TABLES: tuple[Rule, ...] = (
    (r"(^|_)vocab_size$", lambda v: min(v, 1000)),
    (r"(^|_)(pad|bos|eos|sep|cls|mask|unk|decoder_start|image|video|audio)(_token)?(_id|_index)$",
     lambda v: v if v < 1000 else 990 + v % 9),
    (r"^(num_(local_|routed_)?experts|n_routed_experts)$", lambda v: min(v, 4)),
    (r"^(num_experts_per_tok|moe_topk|num_experts_per_token)$", lambda v: min(v, 2)),
)
_WIDTHS: tuple[Rule, ...] = (
    (r"^(hidden_size|d_model|n_embd|embed_dim|hidden_dim|dim|encoder_hidden_size|decoder_hidden_size|embedding_size|d_embed"
     r"|projection_dim|emb_dim|word_embed_proj_dim|max_source_width)$", lambda v: 64 if v >= 64 else v),
    (r"(^|_)(intermediate_size|ffn_dim|d_ff|n_inner|d_inner|ffn_hidden_size|feed_forward_size|dim_feedforward|mlp_dim)$",
     lambda v: 128 if v > 128 else v),
    (r"(^|_)(attention_heads|heads|n_head|num_heads|n_heads)$", lambda v: 4 if v >= 4 else v),
    (r"key_value_heads$|kv_heads$|kv_n_heads$", lambda v: min(v, 2)),
    (r"^(head_dim|d_kv|attention_head_size|qk_nope_head_dim|v_head_dim|qk_rope_head_dim)$", lambda v: 16 if v > 16 else v),
    (r"^(q_lora_rank|kv_lora_rank)$", lambda v: min(v, 32)),
)  # fmt: skip
DEGREES: tuple[tuple[Rule, ...], ...] = (_LAYERS + _TABLES + _WIDTHS, _LAYERS + _TABLES, _LAYERS, ())
"""Rules name → smaller value, the most thorough first."""


def _shrink(config: Any, rules: tuple[Rule, ...], seen: set[int]) -> None:
    """Change a configuration and those inside it; lists with an element for each layer get shorter with them."""
    if id(config) in seen:
        return
    seen.add(id(config))
    lengths: dict[int, int] = {}
    for key, value in list(vars(config).items()):
        if hasattr(value, "to_dict"):
            _shrink(value, rules, seen)
        elif isinstance(value, int) and not isinstance(value, bool):
            for pattern, change in rules:
                if re.search(pattern, key):
                    smaller = change(value)
                    if smaller != value:
                        _set(config, key, smaller)
                        if rules[0] == (pattern, change):
                            lengths[value] = smaller
                    break
    for key, value in list(vars(config).items()):
        if isinstance(value, (list, tuple)) and len(value) in lengths:
            _set(config, key, type(value)(_kinds_first(list(value))[: lengths[len(value)]]))


def _kinds_first(values: list[Any]) -> list[Any]:
    """One element of each kind, then the others."""
    kinds = [v for i, v in enumerate(values) if v not in values[:i]]
    return [*kinds, *values]


def _set(config: Any, key: str, value: Any) -> None:
    try:
        setattr(config, key, value)
    except Exception:  # a name that stands for another one, or a value that is checked
        return


# -- inputs ------------------------------------------------------------------------------------------------------------


def _sought(config: Any, *keys: str, default: int) -> int:
    """The first attribute of these names here or in a configuration inside."""
    for key in keys:
        value = getattr(config, key, None)
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], int):
            value = value[0]
        if isinstance(value, int):
            return value
    inner = [v for v in vars(config).values() if hasattr(v, "to_dict")]
    for part in inner:
        found = _sought(part, *keys, default=-1)
        if found != -1:
            return found
    return default


def _ids(config: Any) -> torch.Tensor:
    return torch.randint(10, max(min(_sought(config, "vocab_size", default=1000), 900), 11), (1, LENGTH))


def _pixels(config: Any) -> torch.Tensor:
    size = _sought(config, "image_size", "img_size", default=224)
    return torch.rand(1, _sought(config, "num_channels", "in_channels", "in_chans", default=3), size, size)


def _features(config: Any) -> torch.Tensor:
    bins = _sought(config, "num_mel_bins", "input_feat_per_channel", "feature_size", "n_mels", "input_dim", default=80)
    return torch.rand(1, bins, 2 * _sought(config, "max_source_positions", default=100))


VALUES: tuple[tuple[str, Callable[[Any], torch.Tensor]], ...] = (
    (r"^(decoder_)?input_ids$|^(qformer_|question_|text_)input_ids$", _ids),
    (r"^(pixel_values|x|images?)$", _pixels),
    (r"^pixel_values_videos$|^video", lambda c: torch.rand(1, _sought(c, "num_frames", default=8), *_pixels(c).shape[1:])),
    (r"^(input_values|input_audio|audio_values|waveform)$", lambda c: torch.randn(1, 4000)),
    (r"^(input_features|audio_features|spectrogram)$", _features),
    (r"attention_mask$|^padding_mask$", lambda c: torch.ones(1, LENGTH, dtype=torch.long)),
    (r"^(inputs_embeds|hidden_states|encoder_hidden_states|inputs|query_embeds)$",
     lambda c: torch.randn(1, LENGTH, _sought(c, "d_model", "hidden_size", "n_embd", default=64))),
    (r"^bbox$", lambda c: torch.randint(0, 400, (1, LENGTH, 4)).sort(-1).values),
    (r"^(position_ids|input_positions)$", lambda c: torch.arange(LENGTH)[None]),
    (r"^past_values$", lambda c: torch.rand(1, _sought(c, "context_length", default=32), _sought(c, "num_input_channels", default=1))),
    (r"^bool_masked_pos$",
     lambda c: torch.zeros(1, (_pixels(c).shape[-1] // _sought(c, "patch_size", default=16)) ** 2, dtype=torch.bool)),
)  # fmt: skip
"""Parameter of forward → how its value is made; the first that fits."""


def _inputs(model: Any) -> Iterator[dict[str, torch.Tensor]]:
    """Keyword arguments to try: what the model needs and its main input, then with what comes beside it in models of several inputs."""
    parameters = inspect.signature(model.forward).parameters
    needed = [n for n, p in parameters.items() if p.default is inspect.Parameter.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    main = getattr(model, "main_input_name", "input_ids")
    bases = [[*needed, *([main] if main in parameters else [])]]
    bases += [[*bases[0], extra] for extra in ("decoder_input_ids", "pixel_values", "input_ids", "input_features") if extra in parameters]
    bases += [[*bases[0], *[e for e in ("input_ids", "decoder_input_ids", "pixel_values", "attention_mask") if e in parameters]]]
    for base in bases:
        makers = [(n, _maker_of(n)) for n in dict.fromkeys(base)]
        yield {n: make(model.config) for n, make in makers if make is not None}


def _maker_of(name: str) -> Callable[[Any], torch.Tensor] | None:
    return next((make for pattern, make in VALUES if re.search(pattern, name)), None)
