"""Operations and sizes for ``corners.py``: small ones (some 10 µs), some that stay in L2, some that come from memory.

A row is an expression over inputs x, y, z and a module m, the shapes of the inputs for every size, and the module as text.
``64x64,64`` are two inputs; ``64x64:u8`` gives a dtype, ``100:i64<50`` integers below 50. Without dtype: normal float32 numbers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One operation. sizes: shapes of its inputs, one text per size. module: what m is. positive: inputs are drawn from (0, 1]."""

    group: str
    text: str
    sizes: tuple[str, ...]
    module: str = ""
    positive: bool = False


VECTORS = "16x256 64x1024 4096x1024"
PAIRS = "16x256,16x256 64x1024,64x1024 4096x1024,4096x1024"
POINTWISE = """exp log sqrt rsqrt sin cos tan tanh erf sigmoid expm1 log1p floor round abs neg sign reciprocal square exp2 log2 log10
relu isnan logical_not atan asin acos sinh cosh""".split()
POSITIVE = "log sqrt rsqrt log2 log10 asin acos".split()
ACTIVATIONS = "gelu silu mish softplus elu leaky_relu hardswish hardsigmoid selu relu6 logsigmoid softsign hardtanh celu".split()
BINARY = "atan2 pow remainder fmod floor_divide maximum add mul div gt eq hypot".split()
TYPES = {"f32": "float32", "f64": "float64", "u8": "uint8", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "b": "bool"}


def _pointwise() -> list[Row]:
    rows = [Row("pointwise", f"torch.{f}(x)", tuple(VECTORS.split()), positive=f in POSITIVE) for f in POINTWISE]
    rows += [Row("pointwise", f"F.{f}(x)", tuple(VECTORS.split())) for f in ACTIVATIONS]
    rows += [Row("pointwise", f"torch.{f}(x, y)", tuple(PAIRS.split()), positive=f == "pow") for f in BINARY]
    for text in ("x % 0.7", "x // 0.7", "x ** 2.5", "x ** 3", "2 ** x", "torch.fmod(x, 0.7)", "F.gelu(x, approximate='tanh')",
                 "x.clamp(-1, 1)", "torch.where(x > 0, x, x * 2)", "torch.lerp(x, x * 2, 0.3)"):  # fmt: skip
        rows.append(Row("pointwise", text, tuple(VECTORS.split()), positive="**" in text))
    rows.append(Row("pointwise", "x + y", ("16x256,256", "64x1024,1024", "4096x1024,1024")))
    rows.append(Row("pointwise", "x * y", ("16x256,16x1", "64x1024,64x1", "4096x1024,4096x1")))
    rows.append(Row("pointwise", "x + y.t()", ("16x256,256x16", "64x1024,1024x64", "2048x2048,2048x2048")))
    rows.append(Row("pointwise", "torch.outer(x, y)", ("64,64", "256,256", "2048,2048")))
    rows.append(Row("pointwise", "x[:, None] * y", ("64,64", "256,256", "2048,2048")))
    return rows


def _casts() -> list[Row]:
    rows = []
    for source in TYPES:
        for target, name in TYPES.items():
            if source != target:
                sizes = tuple(f"{shape}:{source}" for shape in VECTORS.split())
                rows.append(Row("casts", f"x.to(torch.{name})", sizes[:1] + sizes[2:]))
    images = ("3x32x32:u8", "3x224x224:u8", "8x3x512x512:u8")
    rows.append(Row("casts", "x.to(torch.float32) / 255", images))
    rows.append(Row("casts", "(x * 255).to(torch.uint8)", tuple(s.replace(":u8", "") for s in images), positive=True))
    rows.append(Row("casts", "x.permute(2, 0, 1).to(torch.float32) / 255", ("32x32x3:u8", "224x224x3:u8", "1024x1024x3:u8")))
    for kind in ("i64", "i32", "u8"):
        whole = tuple(f"{s}:{kind}<100,{s}:{kind}<100" for s in VECTORS.split())
        rows += [Row("integers", text, whole) for text in ("x + y", "x * y", "x == y", "torch.maximum(x, y)", "x & y", "x // (y + 1)")]
        rows.append(Row("integers", "x.sum()", tuple(s.split(",")[0] for s in whole)))
        rows.append(Row("integers", "x.amax(1)", tuple(s.split(",")[0] for s in whole)))
    return rows


MOVES = {
    "x.t().contiguous()": "64x64 512x512 2048x2048 2047x1025 64x100000",
    "x.t().contiguous() ": "64x64:u8 512x512:u8 4096x4096:u8",
    "x.t().contiguous()  ": "64x64:i64 512x512:i64 2048x2048:i64",
    "x.permute(0, 2, 1).contiguous()": "4x32x32 8x196x128 16x512x768",
    "x.permute(1, 0, 2).contiguous()": "16x16x16 64x64x64 256x256x256",
    "x.permute(2, 1, 0).contiguous()": "16x16x16 64x64x64 200x200x200",
    "x.permute(0, 2, 3, 1).contiguous()": "1x64x8x8 1x64x56x56 8x64x112x112 8x3x224x224",
    "x.permute(0, 3, 1, 2).contiguous()": "1x8x8x64 1x56x56x64 8x112x112x64 8x224x224x3",
    "x.permute(0, 2, 1, 3).contiguous()": "1x12x16x64 1x12x128x64 8x12x512x64",
    "x.permute(3, 2, 1, 0).contiguous()": "8x8x8x8 16x16x16x16 50x50x50x50",
    "x.permute(0, 4, 1, 2, 3).contiguous()": "1x4x8x8x16 1x8x16x16x32 2x16x32x32x64",
    "x.permute(0, 2, 4, 3, 1).contiguous()": "1x4x8x8x16 1x8x16x16x32 2x16x32x32x64",
    "torch.flip(x, [-1])": "16x256 64x1024 4096x1024",
    "torch.flip(x, [-1]) ": "16x256:u8 64x1024:u8 4096x1024:u8",
    "torch.flip(x, [0])": "16x256 64x1024 4096x1024",
    "torch.flip(x, [2, 3])": "1x3x32x32 1x3x224x224 8x3x512x512",
    "torch.roll(x, 3, -1)": "16x256 64x1024 4096x1024",
    "torch.roll(x, (2, 3), (2, 3))": "1x16x14x14 1x64x56x56 8x64x112x112",
    "F.pad(x, (1, 1, 1, 1))": "1x16x14x14 1x64x56x56 8x64x112x112",
    "F.pad(x, (1, 1, 1, 1), value=1.0)": "1x16x14x14 1x64x56x56 8x64x112x112",
    "F.pad(x, (1, 1, 1, 1), 'reflect')": "1x16x14x14 1x64x56x56 8x64x112x112",
    "F.pad(x, (1, 1, 1, 1), 'replicate')": "1x16x14x14 1x64x56x56 8x64x112x112",
    "F.pad(x, (1, 1, 1, 1), 'circular')": "1x16x14x14 1x64x56x56 8x64x112x112",
    "F.pad(x, (2, 2), 'reflect')": "1x16x64 1x64x4096 8x64x16000",
    "torch.cat([x, y], 0)": "16x256,16x256 64x1024,64x1024 2048x1024,2048x1024",
    "torch.cat([x, y], 1)": "16x256,16x256 64x1024,64x1024 2048x1024,2048x1024",
    "torch.cat([x, y], 1) ": "16x7,16x9 512x7,512x9 65536x7,65536x9",
    "torch.cat([x, y], -1)": "16x256x1,16x256x1 64x1024x1,64x1024x1 2048x1024x1,2048x1024x1",
    "torch.stack([x, y], 0)": "16x256,16x256 64x1024,64x1024 2048x1024,2048x1024",
    "torch.stack([x, y], 1)": "16x256,16x256 64x1024,64x1024 2048x1024,2048x1024",
    "torch.stack([x, y], -1)": "16x256,16x256 64x1024,64x1024 2048x1024,2048x1024",
    "x.repeat(4, 1)": "16x256 64x1024 1024x1024",
    "x.repeat(1, 4)": "16x256 64x1024 1024x1024",
    "x.repeat(1, 4) ": "16x7 512x7 65536x7",
    "x.repeat_interleave(2, 0)": "16x256 64x1024 2048x1024",
    "x.repeat_interleave(2, 1)": "16x256 64x1024 2048x1024",
    "x.expand(32, -1, -1).contiguous()": "1x16x64 1x64x128 1x256x512",
    "x[:, None].expand(-1, 32).contiguous()": "64 1024 65536",
    "x[:, ::2].contiguous()": "16x256 64x1024 4096x1024",
    "x[::2].contiguous()": "16x256 64x1024 4096x1024",
    "x[:, 1:-1].contiguous()": "16x256 64x1024 4096x1024",
    "x[..., 1:-1, 1:-1].contiguous()": "1x16x14x14 1x64x56x56 8x64x112x112",
    "x[:, y]": "16x256,64:i64<256 64x1024,256:i64<1024 4096x1024,512:i64<1024",
    "x[y]": "256x64,64:i64<256 1024x64,1024:i64<1024 100000x64,20000:i64<100000",
    "x[y] ": "256,64:i64<256 4096,4096:i64<4096 1000000,1000000:i64<1000000",
    "torch.gather(x, 0, y)": "64x64,64x64:i64<64 256x256,256x256:i64<256 2048x1024,2048x1024:i64<2048",
    "torch.gather(x, 1, y)": "64x64,64x64:i64<64 256x256,256x256:i64<256 2048x1024,2048x1024:i64<1024",
    "torch.tril(x)": "64x64 512x512 2048x2048",
    "x.unfold(1, 16, 8).contiguous()": "4x256 16x4096 64x65536",
    "F.pixel_shuffle(x, 2)": "1x16x8x8 1x64x56x56 4x64x128x128",
    "F.pixel_unshuffle(x, 2)": "1x4x16x16 1x16x112x112 4x16x256x256",
    "F.channel_shuffle(x, 4)": "1x16x8x8 1x64x56x56 8x64x112x112",
    "torch.cumsum(x, 0)": "64x64 512x512 2048x2048 1000000x1",
    "torch.cumsum(x, 1)": "64x64 512x512 2048x2048 16x100000",
    "torch.cumsum(x, 1) ": "4x16x64 8x64x256 16x256x1024",
    "torch.cumprod(x, 0)": "64x64 512x512 2048x2048",
    "torch.cumsum(x, 1)  ": "64x64:i64<9 512x512:i64<9 2048x2048:i64<9",
    "m(x)": "64:i64<1000 2048:i64<1000 65536:i64<1000",
    "torch.arange(x.shape[0], device=x.device) + x[:1].long()": "64 4096 4000000",
}  # fmt: skip


def _moves() -> list[Row]:
    modules = {"m(x)": "nn.Embedding(1000, 64)"}
    rows = [Row("moves", text, tuple(sizes.split()), modules.get(text, "")) for text, sizes in MOVES.items()]
    index = "8x32:i64<1000 64x128:i64<1000 512x128:i64<1000"
    rows.append(Row("moves", "m(x)", tuple(index.split()), "nn.Embedding(1000, 64, max_norm=1.0)"))
    rows.append(Row("moves", "m(x)", tuple(index.split()), "nn.EmbeddingBag(1000, 64, mode='mean')"))
    scatter = "64x64,64x64:i64<64 256x256,256x256:i64<256 2048x1024,2048x1024:i64<2048"
    rows.append(Row("moves", "x.scatter_reduce(0, y, x * 2, 'sum')", tuple(scatter.split())))
    rows.append(Row("moves", "x.scatter_add(0, y, x * 2)", tuple(scatter.split())))
    rows.append(Row("moves", "x.scatter(0, y, x * 2)", tuple(scatter.split())))
    added = "64x64,32:i64<64,32x64 1024x64,512:i64<1024,512x64 20000x256,8192:i64<20000,8192x256"
    rows.append(Row("moves", "x.index_add(0, y, z)", tuple(added.split())))
    return rows


REDUCED = {
    "x.{f}()": "64x64 1024x256 4096x1024",
    "x.{f}(0)": "64x64 1024x256 4096x1024 100000x8 8x100000 1000000x1 65536x3",
    "x.{f}(1)": "64x64 1024x256 4096x1024 100000x8 8x100000 65536x3",
    "x.{f}(1) ": "4x16x64 16x64x256 64x256x1024 64x1000x3 8x3x65536",
    "x.{f}((0, 2))": "4x16x64 16x64x256 64x256x1024 64x64x7",
    "x.{f}((2, 3))": "1x64x7x7 1x256x14x14 16x256x28x28",
    "x.{f}((0, 2, 3))": "4x16x7x7 8x64x14x14 16x256x28x28",
    "x.{f}(1)  ": "1x64x7x7 1x256x14x14 16x256x28x28",
    "x.{f}((1, 3))": "1x16x8x16 4x16x64x32 16x64x64x64",
}


def _reductions() -> list[Row]:
    rows = []
    for f in ("sum", "amax", "var", "mean"):
        for text, sizes in REDUCED.items():
            if not (f == "mean" and text.strip() != "x.{f}()") and not (f == "var" and text == "x.{f}()"):
                rows.append(Row("reductions", text.replace("{f}", f), tuple(s for s in sizes.split() if f == "sum" or s != "1000000x1")))
    for text in ("x.argmax(1)", "x.argmax(0)", "x.max(1)[0]", "x.prod(1)", "x.norm()", "x.norm(dim=1)", "torch.logsumexp(x, 1)",
                 "(x > 0).any(1)", "(x > 0).sum()", "x.std(0)", "F.normalize(x, dim=1)"):  # fmt: skip
        rows.append(Row("reductions", text, ("64x64", "1024x256", "4096x1024")))
    return rows


def _norms() -> list[Row]:
    rows = []
    for f in ("softmax", "log_softmax"):
        rows.append(Row("norms", f"x.{f}(-1)", ("16x10", "8x8x128x128", "1024x1000", "64x50000", "4096x37")))
        rows.append(Row("norms", f"x.{f}(1)", ("1x21x16x16", "8x21x64x64", "1x150x256x256", "4x1000x7x7")))
        rows.append(Row("norms", f"x.{f}(0)", ("64x64", "512x512", "2048x2048")))
    modules = {
        "nn.LayerNorm(256)": "16x256 1x196x256 32x512x256",
        "nn.LayerNorm(37)": "16x37 1x196x37 32x2048x37",
        "nn.RMSNorm(256)": "16x256 1x196x256 32x512x256",
        "nn.LayerNorm((16, 16))": "1x64x16x16 8x64x16x16 64x256x16x16",
        "nn.GroupNorm(8, 64)": "1x64x8x8 1x64x56x56 8x64x112x112",
        "nn.GroupNorm(1, 64)": "1x64x8x8 1x64x56x56 8x64x112x112",
        "nn.BatchNorm2d(64).eval()": "1x64x8x8 1x64x56x56 8x64x112x112",
        "nn.BatchNorm1d(256).eval()": "16x256 64x256 16384x256",
        "nn.InstanceNorm2d(64, affine=True)": "1x64x8x8 1x64x56x56 8x64x112x112",
        "nn.LocalResponseNorm(5)": "1x64x8x8 1x64x56x56 8x64x112x112",
    }
    rows += [Row("norms", "m(x)", tuple(sizes.split()), module) for module, sizes in modules.items()]
    permuted = "m(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)"
    rows.append(Row("norms", permuted, ("1x64x8x8", "1x64x56x56", "8x64x112x112"), "nn.LayerNorm(64)"))
    rows.append(Row("norms", "m(x.transpose(1, 2))", ("1x64x49", "1x64x3136", "8x64x12544"), "nn.LayerNorm(64)"))
    rows.append(Row("norms", "m(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2).contiguous()", ("1x96x8x8", "8x96x56x56"), "nn.LayerNorm(96)"))
    return rows


def rows() -> list[Row]:
    """All operations."""
    from benchmarks.corner_layers import layers

    return [*_pointwise(), *_casts(), *_moves(), *_reductions(), *_norms(), *(Row(*entry) for entry in layers())]
