"""Odd networks on images: uneven sizes, unusual convolutions, attention and statistics over maps."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from tests.conformance.odd_networks import conv, linear, odd, odd_module


@odd((1, 3, 37, 29), a=conv(3, 10, 3, padding=1), b=conv(10, 20, 3, 2, 1), c=conv(30, 5, 3, padding=1))
def unet_of_uneven_sizes(m, x):
    high = F.relu(m.a(x))
    low = F.relu(m.b(high))
    up = F.interpolate(low, size=high.shape[-2:], mode="bilinear", align_corners=False)
    return m.c(torch.cat((high, up), 1))


@odd((2, 16, 12, 12), squeeze=linear(16, 4), excite=linear(4, 16))
def gates_of_channels(m, x):
    return x * torch.sigmoid(m.excite(F.silu(m.squeeze(x.mean((2, 3))))))[:, :, None, None]


@odd((1, 12, 9, 17), q=conv(12, 4, 1), k=conv(12, 4, 1), v=conv(12, 12, 1), gamma=lambda: nn.Parameter(torch.tensor(0.3)))
def attention_over_pixels(m, x):
    q, k, v = (layer(x).flatten(2) for layer in (m.q, m.k, m.v))
    weights = (q.transpose(1, 2) @ k).softmax(-1)
    return x + m.gamma * (v @ weights.transpose(1, 2)).view_as(x)


@odd((1, 8, 11, 13), conv=conv(8, 16, (1, 5), padding=(0, 2)), other=conv(16, 8, (5, 1), padding=(2, 0)))
def filters_in_one_direction(m, x):
    return x - m.other(F.elu(m.conv(x)))


@odd((2, 4, 16, 16), conv=conv(4, 12, 3, padding=4, dilation=4), mix=conv(12, 4, 1, groups=4))
def holes_and_groups(m, x):
    return F.hardswish(m.mix(m.conv(x)))


@odd((1, 4, 7, 7), up=lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1, output_padding=1), up2=lambda: nn.ConvTranspose2d(6, 6, 4, 2, 1, groups=3))
def growing_maps(m, x):
    return torch.tanh(m.up2(F.leaky_relu(m.up(x), 0.2)))


@odd((1, 9, 8, 8), conv=conv(1, 36, 3, padding=1))
def pixel_shuffles(m, x):
    y = F.pixel_shuffle(x, 3)
    return F.pixel_unshuffle(F.pixel_shuffle(m.conv(y), 2), 6)


@odd((2, 6, 10, 10), a=lambda: nn.InstanceNorm2d(6), b=lambda: nn.GroupNorm(3, 6, affine=False), c=conv(6, 6, 3))
def norms_without_weights(m, x):
    return m.b(m.c(m.a(x))).amax((2, 3))


@odd((1, 5, 9, 20), mirror=conv(5, 5, 3, padding=1, padding_mode="reflect"), other=conv(5, 5, 3, padding=1, padding_mode="circular"))
def borders_of_other_kinds(m, x):
    return m.mirror(x) + m.other(x) * F.pad(x, (1, -1, 2, -2), "replicate")


@odd((1, 3, 32, 32), first=conv(3, 8, 3, 2, 1), stages=lambda: nn.ModuleList(nn.Conv2d(8, 8, 3, padding=1) for _ in range(4)))
def dense_sums(m, x):
    seen = [m.first(x)]
    for stage in m.stages:
        seen.append(F.relu(stage(sum(seen))))
    return torch.stack(seen).mean(0)


@odd((3, 8, 6, 6), layers=lambda: nn.ModuleList([nn.Conv2d(8, 8, k, padding=k // 2) for k in (1, 3, 5, 7)]), choose=linear(8, 4))
def mixture_of_filters(m, x):
    shares = m.choose(x.mean((-1, -2))).softmax(-1)
    return torch.einsum("bk,kbchw->bchw", shares, torch.stack([layer(x) for layer in m.layers]))


@odd((2, 4, 9, 9), weight=lambda: nn.Parameter(torch.randn(6, 4, 3, 3)), style=linear(8, 4))
def modulated_weights(m, x):
    style = m.style(torch.ones(2, 8))
    weight = m.weight * style[:, None, :, None, None]
    weight = weight * torch.rsqrt(weight.pow(2).sum((2, 3, 4), keepdim=True) + 1e-8)
    return F.conv2d(x.reshape(1, 8, 9, 9), weight.reshape(12, 4, 3, 3), padding=1, groups=2).view(2, 6, 9, 9)


@odd((1, 3, 24, 24), theta=linear(3, 6), conv=conv(3, 4, 3))
def spatial_transformer(m, x):
    theta = 0.1 * m.theta(x.mean((2, 3))).view(-1, 2, 3) + torch.eye(2, 3)
    grid = F.affine_grid(theta, [1, 3, 20, 22], align_corners=False)
    return m.conv(F.grid_sample(x, grid, align_corners=False))


@odd((1, 4, 16, 16), offsets=conv(4, 2, 3, padding=1), conv=conv(4, 4, 3, padding=1))
def warped_by_itself(m, x):
    flow = torch.tanh(m.offsets(x)).permute(0, 2, 3, 1)
    ys, xs = torch.meshgrid(torch.linspace(-1, 1, 16), torch.linspace(-1, 1, 16), indexing="ij")
    return m.conv(F.grid_sample(x, torch.stack((xs, ys), -1)[None] + 0.2 * flow, padding_mode="border", align_corners=True))


@odd((1, 6, 15, 15), conv=conv(6, 6, 3, padding=1))
def pyramid_of_pools(m, x):
    parts = [F.adaptive_avg_pool2d(x, n) for n in (1, 2, 3, 6)]
    return torch.cat([x, *[F.interpolate(m.conv(p), (15, 15), mode="bilinear", align_corners=True) for p in parts]], 1)


@odd((2, 3, 32, 32), a=conv(3, 6, 5), pool=lambda: nn.MaxPool2d(3, 2, ceil_mode=True), b=conv(6, 12, 3), head=linear(12, 7))
def classes_of_images(m, x):
    y = m.pool(F.relu(m.b(m.pool(F.relu(m.a(x))))))
    return m.head(y.mean((2, 3))).log_softmax(-1).max(-1)


@odd((1, 4, 12, 12), conv=conv(4, 8, 3, padding=1), unpool=lambda: nn.MaxUnpool2d(2))
def pool_and_unpool(m, x):
    pooled, where = F.max_pool2d(m.conv(x), 2, return_indices=True)
    return m.unpool(F.relu(pooled) + 1, where)


@odd((1, 4, 10, 14), mix=linear(36, 5))
def unfolded_by_hand(m, x):
    columns = F.unfold(x, 3, padding=1).transpose(1, 2)
    return F.fold(m.mix(columns).transpose(1, 2), (10, 14), 1)


@odd((2, 8, 8, 8), norm=lambda: nn.LayerNorm(8), expand=linear(8, 32), back=linear(32, 8), depth=conv(8, 8, 7, padding=3, groups=8))
def convnext_block(m, x):
    y = m.norm(m.depth(x).permute(0, 2, 3, 1))
    return x + m.back(F.gelu(m.expand(y))).permute(0, 3, 1, 2)


@odd((1, 8, 13, 13), a=conv(8, 8, 3, padding=1), b=conv(8, 8, 3, padding=1))
def comparisons_as_masks(m, x):
    mask = m.a(x) > m.b(x)
    return torch.where(mask, x, -x), mask.sum((2, 3)), mask.any(1)


@odd((1, 3, 16, 16), conv=conv(3, 16, 3, padding=1))
def maximum_of_halves(m, x):
    first, second = m.conv(x).chunk(2, 1)
    return torch.maximum(first, second), torch.minimum(first, second).argmin(1)


@odd((1, 6, 9, 9), conv=conv(6, 6, 3, padding=1))
def shifted_channels(m, x):
    left, right, rest = x.split((2, 1, 3), 1)
    return m.conv(torch.cat((left.roll(1, 3), right.roll(-2, 2), rest.flip(2)), 1))


@odd((1, 3, 4, 12, 12), conv=lambda: nn.Conv3d(3, 6, (2, 3, 3), padding=(0, 1, 1)), norm=lambda: nn.BatchNorm3d(6))
def short_videos(m, x):
    return F.max_pool3d(F.relu(m.norm(m.conv(x))), (1, 2, 2)).mean(2)


@odd((5, 8), grow=linear(8, 48), up=lambda: nn.ConvTranspose2d(3, 3, 2, 2))
def images_of_vectors(m, x):
    return torch.sigmoid(m.up(m.grow(x).unflatten(1, (3, 4, 4))))


@odd((2, 3, 18, 18), conv=conv(3, 8, 4, 4, padding=2), position=lambda: nn.Parameter(torch.randn(1, 8, 5, 5)))
def patches_with_positions(m, x):
    patches = m.conv(x)
    return (patches + F.interpolate(m.position, size=patches.shape[2:], mode="bicubic")).flatten(2).mT


@odd((1, 16, 14, 14), qkv=linear(16, 48), bias=lambda: nn.Parameter(torch.randn(169)))
def shifted_windows(m, x):
    y = x.permute(0, 2, 3, 1).roll((-3, -3), (1, 2)).view(1, 2, 7, 2, 7, 16).transpose(2, 3).reshape(4, 49, 16)
    q, k, v = m.qkv(y).view(4, 49, 3, 2, 8).permute(2, 0, 3, 1, 4)
    at = torch.stack(torch.meshgrid(torch.arange(7), torch.arange(7), indexing="ij")).flatten(1)
    apart = at[:, :, None] - at[:, None] + 6
    y = ((q * 8**-0.5) @ k.mT + m.bias[apart[0] * 13 + apart[1]]).softmax(-1) @ v
    return y.transpose(1, 2).reshape(1, 2, 2, 7, 7, 16).transpose(2, 3).reshape(1, 14, 14, 16).roll((3, 3), (1, 2))


@odd((1, 4, 1, 60), conv=conv(4, 16, (1, 9), padding=(0, 4)), depth=conv(16, 16, (1, 3), groups=16), head=conv(16, 4, 1))
def one_row(m, x):
    y = F.silu(m.depth(F.silu(m.conv(x))))
    return m.head(y * torch.sigmoid(y.mean((2, 3), keepdim=True)))


@odd((0, 3, 8, 8), conv=conv(3, 4, 3), head=linear(4, 2))
def no_images(m, x):
    return m.head(m.conv(x).amax((2, 3)))


@odd((1, 1, 1, 1), conv=conv(1, 3, 1), norm=lambda: nn.BatchNorm2d(3))
def one_pixel(m, x):
    return F.relu6(m.norm(m.conv(x)) * 5)


@odd((1, 2, 64, 64), a=conv(2, 4, 3, 2, 1), b=conv(4, 4, 3, 2, 1), c=conv(4, 4, 3, 2, 1), lateral=conv(4, 4, 1))
def feature_pyramid(m, x):
    c1 = m.a(x)
    c2 = m.b(F.relu(c1))
    c3 = m.c(F.relu(c2))
    p2 = m.lateral(c2) + F.interpolate(c3, scale_factor=2.0)
    return {"p1": m.lateral(c1) + F.interpolate(p2, scale_factor=2.0), "p2": p2, "p3": c3}


@odd((1, 8, 10, 10), conv=conv(8, 8, 3, padding=1), k=lambda: nn.Parameter(torch.rand(1, 1, 3, 3)))
def blurred_before_stride(m, x):
    kernel = (m.k / m.k.sum()).expand(8, 1, 3, 3)
    return F.conv2d(F.pad(F.relu(m.conv(x)), (1, 1, 1, 1), "reflect"), kernel, stride=2, groups=8)


@odd((1, 6, 12, 12), conv=lambda: torch.nn.utils.parametrizations.weight_norm(nn.Conv2d(6, 6, 3)))
def weights_with_a_norm(m, x):
    return F.softplus(m.conv(x))


@odd((2, 4, 8, 8), conv=lambda: nn.utils.parametrizations.spectral_norm(nn.Conv2d(4, 4, 3)))
def weights_with_a_spectrum(m, x):
    return F.mish(m.conv(x))


@odd((2, 3, 17, 19), conv=conv(3, 7, 3, padding="same", dilation=2))
def gram_matrix(m, x):
    y = F.relu(m.conv(x)).flatten(2)
    return y @ y.mT / y.shape[-1], y.std(-1), y.norm(dim=1)


@odd((1, 3, 40, 30), conv=conv(3, 5, 3, padding=1))
def coordinates_of_maxima(m, x):
    heat = m.conv(x).flatten(2).softmax(-1)
    xs = torch.arange(30.0).repeat(40)
    ys = torch.arange(40.0).repeat_interleave(30)
    return torch.stack(((heat * xs).sum(-1), (heat * ys).sum(-1)), -1), heat.argmax(-1)


@odd_module((1, 4, 8, 8))
class Reversible(nn.Module):
    """Two halves that change each other and back."""

    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1), nn.ReLU())
        self.g = nn.Sequential(nn.Conv2d(2, 2, 1), nn.Tanh())

    def forward(self, x):
        a, b = x.chunk(2, 1)
        a = a + self.f(b)
        b = b + self.g(a)
        back = b - self.g(a)
        return torch.cat((a, b), 1), a - self.f(back), back


@odd_module((1, 3, 16, 16))
class SharedStages(nn.Module):
    """The same convolution at four scales, then a vote."""

    def __init__(self):
        super().__init__()
        self.stem, self.shared, self.head = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1), nn.Linear(8, 3)

    def forward(self, x):
        votes = []
        y = self.stem(x)
        while y.shape[-1] > 1:
            votes.append(self.head(y.mean((-2, -1))))
            y = F.avg_pool2d(F.relu(self.shared(y)), 2)
        return torch.stack(votes, 1).median(1).values
