"""[1x1 convolution,] depthwise, 1x1 convolution in one kernel, row by row: the wide maps between them never reach memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels import inner_product
from sol.codegen.kernels.blocked import EpilogueText
from sol.codegen.kernels.conv_direct import even_last, panels
from sol.codegen.kernels.conv_epilogues import needs_mask, operand_context, operand_params, tile_variants
from sol.codegen.kernels.conv_inner_product import inner_product_weights, max_error, row_cost, row_tiling, whole_panels
from sol.codegen.kernels.conv_problem import Types
from sol.codegen.kernels.conv_shape import Conv, check_border, read_conv, spatial_strides
from sol.codegen.kernels.conv_small import columns_context
from sol.codegen.kernels.conv_small_cost import chain_seconds
from sol.codegen.kernels.conv_tiling import Tiling, choose_tiling, panels_of
from sol.codegen.kernels.inner_product import LANES
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.config import config
from sol.errors import SolError
from sol.ir.dim import DimLike, product


@dataclass(frozen=True)
class Chain:
    """The convolutions of a body in order. epilogues: what follows each; only the last one's reads tensors."""

    expand: Conv | None
    depthwise: Conv
    project: Conv
    epilogues: tuple[Epilogue, ...]

    @property
    def convs(self) -> tuple[Conv, ...]:
        return (*((self.expand,) if self.expand else ()), self.depthwise, self.project)


def read_chain(lowering: Lowering) -> Chain:
    """The region's convolutions and their epilogues; SolError if they are not what sol/passes/fuse_conv_chains.py makes."""
    nodes = [n for n in lowering.body.nodes if n.op == "conv"]
    convs = [read_conv(lowering, n) for n in nodes]
    if len(convs) not in (2, 3) or None in convs:
        raise SolError(f"region {lowering.region.name} is no chain of convolutions", origin=str(lowering.region.origin))
    found = [c for c in convs if c is not None]
    ends = [*(n.inputs[0] for n in nodes[1:]), lowering.output]
    lanes = lowering.target.lanes
    epilogues = tuple(make_epilogue(lowering, n.name, end, channel_axis=1, block=lanes) for n, end in zip(nodes, ends))
    if any(t.operands or needs_mask(t, c.k, lanes) for t, c in zip(epilogues[:-1], found)):
        raise SolError(f"region {lowering.region.name} has operands inside its chain", origin=str(lowering.region.origin))
    return Chain(found[0] if len(found) == 3 else None, found[-2], found[-1], epilogues)


def strip_rows(target: TargetLike, chain: Chain) -> int:
    """Output rows per strip: as many as keep the strip in a sixteenth of L2 and the ring of rows in half of it, at most four."""
    narrow = 4 * chain.depthwise.k * _int(chain.depthwise.ow)
    wide = 4 * chain.depthwise.c * _int(chain.depthwise.w) if chain.expand else 0
    stride, kernel = chain.depthwise.stride[0], chain.depthwise.kernel[0]
    rows = 1
    while rows < 4 and (rows + 1) * narrow <= target.l2 // 16 and (rows * stride + kernel) * wide <= target.l2 // 2:
        rows += 1
    return rows


def _int(size: DimLike) -> int:
    assert isinstance(size, int)
    return size


def uses_inner_product(conv: Conv, target: TargetLike) -> bool:
    """Whether the last stage is computed by Winograd's inner product."""
    if not target.pair_vectors or target.lanes != LANES or max_error(conv.reduction) > config["conv_max_error"]:
        return False
    return row_cost(conv, target, row_tiling(conv, target)) < target.machine.inner_product.gain


def _stage(name: str, conv: Conv, epilogue: Epilogue, target: TargetLike, by_inner_product: bool = False) -> tuple[dict[str, Any], Tiling]:
    """Template context of a 1x1 stage, which goes row by row. by_inner_product: by Winograd's inner product."""
    vectors, masked, prefix = -(-conv.k // target.lanes), needs_mask(epilogue, conv.k, target.lanes), "expand_" * (name == "expand")
    if by_inner_product:
        tiling = row_tiling(conv, target)
        widths = whole_panels(vectors, tiling.ocb)
    else:
        tiling = choose_tiling(target, vectors, 1, conv.ow, flat=False, reduction=conv.reduction)
        widths = panels_of(target, conv.k, tiling.ocb)
    context = {
        "name": name, "ocb": tiling.ocb, "tiles": tiling.tiles, "panels": widths, "masked": masked, "epilogue": epilogue.stem,
        "variants": tile_variants(epilogue, widths, tiling, masked, by_pixel=True), "biased": len(conv.node.inputs) == 3,
        "w": f"{prefix}w", "bias": f"{prefix}bias", "operands": operand_context(epilogue),
        "passed": "".join(f", {e.name}" for e in epilogue.operands),
    }  # fmt: skip
    return context, tiling


def _depthwise(conv: Conv, epilogue: Epilogue, target: TargetLike) -> dict[str, Any]:
    """Template context of the depthwise stage. Strips may have an odd number of rows."""
    text = EpilogueText("", (), (), ())
    if not epilogue.is_identity:
        lines, result = epilogue.trace("a", lambda o: o.name, "t")
        body = "\n".join(f"    {line}" for line in [*lines, f"return {result};"])
        title = f"/* Behind the depthwise convolution: {epilogue.stem}. */"
        text = replace(text, function=f"{title}\nSOL_INLINE vf epilogue(vf a)\n{{\n{body}\n}}")
    odd = 3
    columns = columns_context(target, conv, (odd, conv.ow))
    fixed = {"kernel": conv.kernel, "R": conv.kernel[0], "S": conv.kernel[1]}
    return columns | fixed | {"epilogue": text, "activation": epilogue.stem, "depthwise_bias": len(conv.node.inputs) == 3}


def _reads(lowering: Lowering, chain: Chain, tilings: dict[str, Tiling], source: View) -> dict[str, View]:
    lanes = lowering.target.lanes
    reads = {"in": source}
    if chain.expand:
        reads["expand_w"] = panels(lowering, chain.expand, tilings["expand"].ocb)
    reads["depthwise_w"] = lowering.weight(chain.depthwise.node.inputs[1], "conv_depthwise", block=lanes)
    if uses_inner_product(chain.project, lowering.target):
        reads |= inner_product_weights(lowering, chain.project)
    else:
        reads["w"] = panels(lowering, chain.project, tilings["project"].ocb)
    for name, conv in (("expand_bias", chain.expand), ("depthwise_bias", chain.depthwise), ("bias", chain.project)):
        if conv and len(conv.node.inputs) == 3:
            reads[name] = lowering.weight(conv.node.inputs[2], "channels", block=lanes)
    return reads | {e.name: e.view for e in chain.epilogues[-1].operands}


def _stem(chain: Chain, by_inner_product: bool) -> str:
    depthwise = chain.depthwise
    names = [f"_{t.stem}" if t.stem else "" for t in chain.epilogues]
    head = f"conv1x1{names[0]}_" if chain.expand else "conv_"
    shape = f"depthwise{depthwise.kernel[0]}x{depthwise.kernel[1]}s{depthwise.stride[1]}"
    return f"{head}{shape}{names[-2]}_{'inner_product' if by_inner_product else 'conv1x1'}{names[-1]}"


@dataclass(frozen=True)
class Way:
    """The convolutions, and the output rows per strip."""

    chain: Chain
    strip: int


def _match(lowering: Lowering) -> Iterator[Decision]:
    """Variants are other numbers of rows per strip."""
    chain = read_chain(lowering)
    yield Decision("conv_chain", Way(chain, strip_rows(lowering.target, chain)))
    rows = chain.depthwise.oh
    for strip in (n for n in (1, 2, 4, 7) if not isinstance(rows, int) or n <= rows):
        yield Decision("conv_chain", Way(chain, strip), str(strip))


def _seconds(way: Way, target: TargetLike) -> float | None:
    return chain_seconds(way.chain.convs, way.strip, target)


def _lower(lowering: Lowering, way: Way) -> None:
    chain, strip, target, lanes = way.chain, way.strip, lowering.target, lowering.target.lanes
    depthwise, project = chain.depthwise, chain.project
    first = chain.convs[0]
    source, out = lowering.view(first.node.inputs[0]), lowering.view(lowering.output)
    if any(spatial_strides(v.strides)[3:] != (lanes, 1) for v in (source, out)):
        raise SolError(f"region {lowering.region.name} has gaps between its columns", origin=str(lowering.region.origin))
    check_border(lowering, first, source)
    contexts: dict[str, Any] = {"expand": None}
    tilings: dict[str, Tiling] = {}
    if chain.expand:
        contexts["expand"], tilings["expand"] = _stage("expand", chain.expand, chain.epilogues[0], target)
    by_inner_product = uses_inner_product(project, target)
    contexts["project"], tilings["project"] = _stage("project", project, chain.epilogues[-1], target, by_inner_product)
    vectors = -(-depthwise.k // lanes)
    left = depthwise.padding[1]
    wide_row = lanes * max(left + _int(depthwise.w), (_int(depthwise.ow) - 1) * depthwise.stride[1] + depthwise.kernel[1])
    ring = (strip - 1) * depthwise.stride[0] + depthwise.kernel[0]
    floats = vectors * (strip * _int(depthwise.ow) + 1) * lanes
    if chain.expand:
        floats += wide_row + vectors * (ring * wide_row + lanes)
    unpacked = floats
    if by_inner_product:
        tile = tilings["project"].tiles[0][1]
        floats += strip * -(-_int(depthwise.ow) // tile) * lanes * (vectors * tile + 2 * -(-tile // lanes) + 1)
    in_n, in_cb, in_row, in_column, _ = spatial_strides(source.strides)
    out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
    params: dict[str, DimLike] = {
        "N": depthwise.n, "OH": depthwise.oh, "OW": depthwise.ow, "strip": strip, "vectors": vectors,
        "narrow_last": even_last(depthwise.k, lanes), "out_vectors": -(-project.k // lanes),
        "in_n": in_n, "in_cb": in_cb, "in_row": in_row, "out_n": out_n, "out_cb": out_cb, "out_row": out_row,
        **operand_params(chain.epilogues[-1]),
    }  # fmt: skip
    if by_inner_product:
        params["unpacked"] = unpacked
    if contexts["project"]["masked"]:
        params["K"] = project.k
    if chain.expand:
        params |= {
            "in_blocks": -(-first.c // lanes), "in_last": even_last(first.c, lanes),
            "H": depthwise.h, "W": depthwise.w, "above": depthwise.padding[0], "left": left, "wide_row": wide_row,
        }  # fmt: skip
    else:
        params["in_start"] = -(in_row * depthwise.padding[0] + in_column * left)
    views = [source, out, *(e.view for e in chain.epilogues[-1].operands)]
    lowering.emit(
        "conv_chain.c.j2", _stem(chain, by_inner_product), reads=_reads(lowering, chain, tilings, source), writes={"out": out},
        params=params, scratch=4 * floats, flops=sum((c.flops for c in chain.convs), start=0),
        bytes=sum(c.weight_bytes for c in chain.convs) + 4 * sum((product(v.shape) for v in views), start=0),
        inner_product=inner_product.context(inner_product.last_channels(project.c)) if by_inner_product else None,
        types=Types(), stored=True, **contexts, **_depthwise(depthwise, chain.epilogues[-2], target),
    )  # fmt: skip


KERNELS: dict[str, tuple[Candidate, ...]] = {"conv_chain": (Candidate("conv_chain", _match, _lower, _seconds, ranked=False),)}
