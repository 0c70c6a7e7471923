"""Products, attention, pooling, convolutions, interpolation and small networks for ``corners.py``: (group, expression, sizes, module)."""

from __future__ import annotations

from collections.abc import Iterator

Entry = tuple[str, str, tuple[str, ...], str]

PRODUCTS = (
    "1x64,64x64 1x512,512x512 1x2048,2048x2048",
    "64x64,64x1 512x512,512x1 2048x2048,2048x1",
    "64x1,1x64 512x1,1x512 2048x1,1x2048",
    "64x64,64x64 256x256,256x256 1024x1024,1024x1024",
    "1000x8,8x8 10000x8,8x8 100000x8,8x8",
    "16x1000,1000x16 16x20000,20000x16",
    "3x5,5x7 7x7,7x7 17x17,17x17 15x33,33x9 127x65,65x31",
    "8x4x4,8x4x4 256x4x4,256x4x4 10000x4x4,10000x4x4",
    "64x16x16,64x16x16 512x32x32,512x32x32 512x64x64,512x64x64",
    "32x1x64,32x64x1 512x1x64,512x64x1",
    "32x64x128,128x32 8x512x512,512x512",
    "2x2048,2048x2048 4x2048,2048x2048 8x2048,2048x2048 17x2048,2048x2048",
    "2048x2,2x2048 2048x17,17x2048",
)

LINEAR = {
    "nn.Linear(64, 64)": "1x64 16x64 1000x64",
    "nn.Linear(2048, 2048)": "1x2048 2x2048 4x2048 16x2048",
    "nn.Linear(768, 768)": "1x768 128x768 1024x768",
    "nn.Linear(768, 3072)": "1x768 128x768 1024x768",
    "nn.Linear(3072, 768)": "1x3072 128x3072 1024x3072",
    "nn.Linear(1000, 1)": "1x1000 64x1000 4096x1000",
    "nn.Linear(7, 5)": "1x7 64x7 100000x7",
    "nn.Bilinear(32, 32, 16)": "16x32,16x32 512x32,512x32",
}

ATTENTION = (
    "1x8x1x64,1x8x128x64,1x8x128x64 1x8x1x64,1x8x2048x64,1x8x2048x64 1x32x1x128,1x32x2048x128,1x32x2048x128",
    "1x8x128x64,1x8x128x64,1x8x128x64 1x8x1024x64,1x8x1024x64,1x8x1024x64 8x12x197x64,8x12x197x64,8x12x197x64",
    "64x4x49x32,64x4x49x32,64x4x49x32 512x4x49x32,512x4x49x32,512x4x49x32 256x4x16x32,256x4x16x32,256x4x16x32",
    "1x4x4096x32,1x4x64x32,1x4x64x32 1x2x3136x64,1x2x49x64,1x2x49x64 1x8x1024x40,1x8x77x40,1x8x77x40",
)

POOLS = {
    "nn.AvgPool1d(25)": "1x16x1000 8x64x4000 16x64x16000",
    "nn.AvgPool1d(3, 1, 1)": "1x16x1000 8x64x4000 16x64x16000",
    "nn.MaxPool1d(2)": "1x16x1000 8x64x4000 16x64x16000",
    "nn.MaxPool1d(5, 1, 2)": "1x16x1000 8x64x4000",
    "nn.AvgPool2d(3, 1, 1, count_include_pad=False)": "1x16x14x14 1x64x56x56 8x64x56x56",
    "nn.AvgPool2d(3, 2, 1)": "1x16x14x14 1x64x56x56 8x64x112x112",
    "nn.AvgPool2d(2)": "1x16x14x14 1x64x56x56 8x64x112x112",
    "nn.AvgPool2d(7)": "1x16x14x14 1x64x56x56 8x64x112x112",
    "nn.MaxPool2d(2)": "1x16x14x14 1x64x56x56 8x64x112x112",
    "nn.MaxPool2d(3, 2, 1)": "1x16x14x14 1x64x56x56 8x64x112x112",
    "nn.MaxPool2d(5, 1, 2)": "1x16x14x14 1x64x56x56",
    "nn.MaxPool2d(3, 2, ceil_mode=True)": "1x16x14x14 1x64x56x56",
    "nn.MaxPool2d(3, 1, 1, dilation=1)": "1x16x14x14 1x64x56x56 8x64x112x112",
    "nn.AdaptiveAvgPool2d(1)": "1x16x14x14 1x256x14x14 16x256x28x28",
    "nn.AdaptiveAvgPool2d(7)": "1x16x16x16 1x256x14x14 8x64x56x56",
    "nn.AdaptiveMaxPool2d(5)": "1x16x16x16 1x256x14x14 8x64x56x56",
    "nn.AdaptiveAvgPool1d(8)": "1x16x1000 8x64x4001",
    "nn.AvgPool3d(2)": "1x8x8x8x8 1x32x16x32x32",
    "nn.MaxPool3d(3, 2, 1)": "1x8x8x8x8 1x32x16x32x32",
    "nn.AvgPool3d(3, 1, 1)": "1x8x8x8x8 1x32x16x32x32",
}

CONVOLUTIONS = {
    "nn.Conv1d(1, 64, 10, 5)": "1x1x1600 1x1x16000 1x1x160000",
    "nn.Conv1d(512, 512, 3, 2)": "1x512x100 1x512x1600 1x512x3200",
    "nn.Conv1d(64, 64, 3, padding=1)": "1x64x100 1x64x4000 8x64x4000",
    "nn.Conv1d(64, 64, 1)": "1x64x100 1x64x4000",
    "nn.Conv1d(64, 64, 7, padding=3, groups=64)": "1x64x100 1x64x4000 8x64x4000",
    "nn.Conv1d(80, 384, 3, padding=1)": "1x80x300 1x80x3000",
    "nn.ConvTranspose1d(64, 32, 4, 2, 1)": "1x64x100 1x64x4000",
    "nn.ConvTranspose1d(128, 64, 16, 8, 4)": "1x128x100 1x128x1000",
    "nn.Conv2d(3, 64, 7, 2, 3)": "1x3x32x32 1x3x224x224 8x3x224x224",
    "nn.Conv2d(3, 32, 3, 2, 1)": "1x3x32x32 1x3x224x224",
    "nn.Conv2d(3, 64, 4, 4)": "1x3x32x32 1x3x224x224",
    "nn.Conv2d(3, 768, 16, 16)": "1x3x224x224 8x3x224x224",
    "nn.Conv2d(64, 64, 3, padding=1)": "1x64x8x8 1x64x56x56 8x64x56x56",
    "nn.Conv2d(64, 64, 3, padding=1, groups=64)": "1x64x8x8 1x64x56x56 8x64x112x112",
    "nn.Conv2d(64, 64, 7, padding=3, groups=64)": "1x64x14x14 1x64x56x56",
    "nn.Conv2d(64, 64, 3, padding=1, groups=4)": "1x64x8x8 1x64x56x56",
    "nn.Conv2d(60, 60, 3, padding=1, groups=5)": "1x60x14x14 1x60x56x56",
    "nn.Conv2d(64, 64, 3, padding=2, dilation=2)": "1x64x28x28 1x64x56x56",
    "nn.Conv2d(64, 3, 1)": "1x64x56x56 1x64x224x224",
    "nn.ConvTranspose2d(64, 32, 2, 2)": "1x64x14x14 1x64x56x56",
    "nn.ConvTranspose2d(64, 32, 4, 2, 1)": "1x64x14x14 1x64x56x56",
    "nn.ConvTranspose2d(64, 64, 3, 2, 1, 1)": "1x64x14x14 1x64x56x56",
    "nn.Conv3d(3, 64, (3, 7, 7), (1, 2, 2), (1, 3, 3))": "1x3x4x56x56 1x3x8x112x112 1x3x16x112x112",
    "nn.Conv3d(3, 45, (1, 7, 7), (1, 2, 2), (0, 3, 3))": "1x3x4x56x56 1x3x8x112x112",
    "nn.Conv3d(64, 64, 3, padding=1)": "1x64x4x14x14 1x64x8x28x28",
    "nn.Conv3d(64, 64, (3, 1, 1), padding=(1, 0, 0))": "1x64x4x14x14 1x64x8x28x28",
    "nn.Conv3d(64, 128, 1, 2)": "1x64x4x14x14 1x64x8x28x28",
    "nn.Conv3d(32, 32, 3, padding=1, groups=32)": "1x32x4x14x14 1x32x8x56x56",
    "nn.ConvTranspose3d(32, 16, 2, 2)": "1x32x4x8x8 1x32x8x28x28",
}

INTERPOLATION = {
    "F.interpolate(x, scale_factor=2)": "1x16x14x14 1x64x56x56 8x64x56x56",
    "F.interpolate(x, scale_factor=2, mode='bilinear')": "1x16x14x14 1x64x56x56 8x64x56x56",
    "F.interpolate(x, size=(224, 224), mode='bilinear', align_corners=True)": "1x3x64x64 1x21x28x28 8x3x256x256",
    "F.interpolate(x, size=(33, 45))": "1x16x14x14 1x64x56x56",
    "F.interpolate(x, scale_factor=0.5, mode='bilinear')": "1x16x14x14 1x64x56x56 8x64x112x112",
    "F.interpolate(x, scale_factor=2) ": "1x16x100 1x64x4000",
    "F.interpolate(x, scale_factor=2, mode='linear')": "1x16x100 1x64x4000",
    "F.interpolate(x, scale_factor=2, mode='trilinear')": "1x8x8x8x8 1x16x16x32x32",
    "F.grid_sample(x, y, align_corners=False)": "1x16x14x14,1x14x14x2 1x64x56x56,1x56x56x2",
}

RECURRENT = {
    "nn.LSTM(64, 64)": "8x1x64 64x1x64 64x16x64",
    "nn.GRU(128, 128, batch_first=True)": "1x32x128 8x64x128",
    "nn.RNN(32, 32)": "8x1x32 64x8x32",
    "nn.LSTM(256, 256, bidirectional=True)": "32x1x256 64x8x256",
    "nn.LSTM(128, 128)": "50x500x128",
}

BLOCKS = {
    "Mixing(64)": "1x196x64 1x3136x64 8x3136x64",
    "NormedBottleneck(64)": "1x64x14x14 1x64x56x56",
    "ChannelsLast(96)": "1x96x14x14 1x96x56x56",
    "Experts(64, 4)": "32x64 512x64",
}


def layers() -> Iterator[Entry]:
    """All of them."""
    for sizes in PRODUCTS:
        yield "products", "x @ y", tuple(sizes.split()), ""
    yield "products", "x @ y.t()", ("1x2048,2048x2048", "17x512,512x512", "512x512,512x512"), ""
    yield "products", "x.t() @ y", ("2048x1,2048x2048", "512x17,512x512", "512x512,512x512"), ""
    yield "products", "torch.mv(x, y)", ("64x64,64", "512x512,512", "2048x2048,2048"), ""
    yield "products", "torch.mv(x.t(), y)", ("64x64,64", "512x512,512", "2048x2048,2048"), ""
    yield "products", "torch.dot(x, y)", ("64,64", "4096,4096", "1000000,1000000"), ""
    yield "products", "torch.einsum('bik,bjk->bij', x, y)", ("4x16x64,4x16x64", "16x128x64,16x128x64"), ""
    yield "products", "torch.baddbmm(z, x, y)", ("8x16x16,8x16x16,8x16x16", "64x64x64,64x64x64,64x64x64"), ""
    for module, sizes in LINEAR.items():
        yield "products", "m(x, y)" if "," in sizes else "m(x)", tuple(sizes.split()), module
    for sizes in ATTENTION:
        yield "attention", "F.scaled_dot_product_attention(x, y, z)", tuple(sizes.split()), ""
    causal = tuple(ATTENTION[1].split())
    yield "attention", "F.scaled_dot_product_attention(x, y, z, is_causal=True)", causal, ""
    grouped = ("1x32x1x64,1x8x512x64,1x8x512x64", "1x32x128x64,1x8x128x64,1x8x128x64")
    yield "attention", "F.scaled_dot_product_attention(x, y, z, enable_gqa=True)", grouped, ""
    heads = "nn.MultiheadAttention(256, 8, batch_first=True)"
    yield "attention", "m(x, x, x, need_weights=False)[0]", ("1x16x256", "1x197x256", "8x197x256"), heads
    for group, modules in (("pools", POOLS), ("convolutions", CONVOLUTIONS), ("blocks", BLOCKS)):
        for module, sizes in modules.items():
            yield group, "m(x)", tuple(sizes.split()), module
    for module, sizes in RECURRENT.items():
        yield "recurrent", "m(x)[0]", tuple(sizes.split()), module
    for text, sizes in INTERPOLATION.items():
        yield "interpolation", text, tuple(sizes.split()), ""
