"""Odd networks that compute something other than layers: linear algebra, sorting, geometry, optimisation, losses, signals."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from tests.conformance.odd_networks import ids, linear, odd, odd_module


@odd((3, 4, 4))
def positive_definite(m, x):
    a = x @ x.mT + 4 * torch.eye(4)
    return torch.linalg.cholesky(a), torch.linalg.solve(a, x), torch.linalg.inv(a), torch.logdet(a)


@odd((5, 3))
def orthogonal(m, x):
    q, r = torch.linalg.qr(x)
    return q @ r, torch.linalg.svdvals(x), torch.linalg.matrix_norm(x)


@odd((2, 3, 3))
def series_of_matrices(m, x):
    term, total = torch.eye(3).expand(2, 3, 3), torch.eye(3).expand(2, 3, 3)
    for i in range(1, 8):
        term = term @ x / i
        total = total + term
    return total, torch.linalg.matrix_power(x, 3), x.diagonal(dim1=1, dim2=2).sum(-1)


@odd((2, 6))
def sorted_in_many_ways(m, x):
    values, order = x.sort(-1, descending=True)
    return values, order, x.argsort(0), x.topk(3).values, x.kthvalue(2).values, x.median(-1).values, x.msort()


@odd((10,))
def quantiles(m, x):
    return x.quantile(torch.tensor([0.1, 0.5, 0.9])), torch.bucketize(x, torch.linspace(-1, 1, 5)), torch.searchsorted(x.sort().values, x)


@odd((50,))
def histogram(m, x):
    return torch.histc(x, 8, -2, 2), torch.bincount((x.abs() * 3).long().clamp(max=9), minlength=10)


@odd(lambda: torch.rand(6, 4), lambda: torch.rand(6))
def suppressed_boxes(m, boxes, scores):
    boxes = torch.cat((boxes[:, :2], boxes[:, :2] + boxes[:, 2:]), 1)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    low, high = torch.maximum(boxes[:, None, :2], boxes[None, :, :2]), torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    common = (high - low).clamp(min=0).prod(-1)
    overlap = common / (area[:, None] + area - common)
    beaten = (overlap > 0.5) & (scores[None] > scores[:, None])
    return scores.masked_fill(beaten.any(1), 0), overlap


@odd((8, 3), (5, 3))
def distances(m, a, b):
    alike = F.cosine_similarity(a[:, None], b[None], dim=-1)
    return torch.cdist(a, b), alike, (a[:, None] - b).abs().amin(1), F.pairwise_distance(a[:5], b)


@odd((4, 10), ids(4, most=10))
def losses(m, logits, target):
    chance = logits.softmax(-1)
    return {
        "cross": F.cross_entropy(logits, target, label_smoothing=0.1), "nll": F.nll_loss(chance.log(), target),
        "kl": F.kl_div(chance.log(), chance.flip(0), reduction="batchmean"), "huber": F.huber_loss(logits, logits.flip(0)),
        "binary": F.binary_cross_entropy_with_logits(logits, chance), "margin": F.multi_margin_loss(logits, target),
        "focal": -((1 - chance) ** 2 * chance.log()).gather(1, target[:, None]).mean(),
    }  # fmt: skip


@odd((3, 4), (3, 4))
def angles(m, a, b):
    return torch.atan2(a, b), torch.hypot(a, b), a.sinh(), b.cosh(), (a / 4).clamp(-1, 1).asin(), a.atan(), a.asinh(), (a.abs() + 1).acosh()


@odd((3, 5))
def special_functions(m, x):
    y = x.abs() + 0.5
    gammas = torch.lgamma(y), torch.digamma(y)
    return *gammas, torch.erfinv(x.tanh() * 0.9), torch.special.i0(x), y.log1p(), x.expm1(), torch.sinc(x), x.frac()


@odd((2, 3))
def newton(m, x):
    target = x.abs() + 1
    y = target / 2
    for _ in range(6):
        y = 0.5 * (y + target / y)
    return y - target.sqrt()


@odd((4, 6), a=lambda: torch.randn(3, 6), threshold=lambda: nn.Parameter(torch.tensor(0.05)))
def unrolled_shrinkage(m, x):
    step = 0.1
    code = torch.zeros(4, 3)
    for _ in range(5):
        code = F.softshrink(code + step * (x - code @ m.a) @ m.a.T, 0.05) * (1 - m.threshold)
    return code


@odd((2, 2), net=lambda: nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2)))
def runge_kutta(m, y):
    for _ in range(4):
        k1 = m.net(y)
        k2 = m.net(y + 0.05 * k1)
        k3 = m.net(y + 0.05 * k2)
        y = y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + m.net(y + 0.1 * k3))
    return y


@odd((16, 3), frequencies=lambda: 2.0 ** torch.arange(4), net=lambda: nn.Sequential(nn.Linear(27, 32), nn.ReLU(), nn.Linear(32, 4)))
def radiance_field(m, points):
    angle = points[..., None] * m.frequencies
    features = torch.cat((points, angle.sin().flatten(1), angle.cos().flatten(1)), -1)
    colour, density = m.net(features).split((3, 1), -1)
    alpha = 1 - torch.exp(-F.relu(density.squeeze(-1)) * 0.1)
    through = torch.cumprod(torch.cat((torch.ones(1), 1 - alpha + 1e-10)), 0)[:-1]
    return ((alpha * through)[:, None] * torch.sigmoid(colour)).sum(0)


@odd((5, 4))
def quaternions(m, q):
    w, x, y, z = F.normalize(q, dim=-1).unbind(-1)
    rows = (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
            2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))  # fmt: skip
    return torch.stack(rows, -1).view(-1, 3, 3)


@odd((6, 3), (6, 3))
def vectors_in_space(m, a, b):
    return torch.linalg.cross(a, b), torch.linalg.vecdot(a, b), torch.tensordot(a, b, dims=([0], [0])), torch.kron(a[:2], b[:2])


@odd((1, 100))
def smoothed_signal(m, x):
    kernel = torch.exp(-torch.linspace(-2, 2, 9) ** 2)
    y = F.conv1d(x[:, None], (kernel / kernel.sum())[None, None], padding=4)[:, 0]
    return y, y.diff(dim=1), torch.trapezoid(y, dx=0.1), (y[:, 1:] * y[:, :-1] < 0).sum(1)


@odd((4, 4), (4, 4))
def einsum_of_many(m, a, b):
    outer = torch.einsum("ij,kl->ikjl", a, b)
    return torch.einsum("ij,jk->ik", a, b), torch.einsum("ij,ij->i", a, b), torch.einsum("ii->i", a), outer.sum(0)


@odd((3, 8))
def layer_of_everything(m, x):
    functions = (F.relu, F.relu6, F.elu, F.celu, F.selu, F.gelu, F.silu, F.mish, F.softplus, F.softsign, F.tanhshrink, F.hardtanh,
                 F.hardsigmoid, F.hardswish, F.logsigmoid, F.leaky_relu, F.hardshrink)  # fmt: skip
    return torch.stack([f(x) for f in functions]).sum(0)


@odd((3, 8), slope=lambda: nn.PReLU(8), shrink=lambda: nn.Threshold(0.1, -1))
def learned_slopes(m, x):
    return m.shrink(m.slope(x)), F.glu(x), F.rrelu(x, training=False)


@odd((2, 12))
def repeated_pieces(m, x):
    return x.repeat(2, 3), x.repeat_interleave(2, 1), x.tile(2), torch.block_diag(x, x), x.unflatten(1, (3, 4)).rot90(1, (1, 2))


@odd((3, 4), (3, 4))
def put_together(m, a, b):
    return torch.hstack((a, b)), torch.dstack((a, b)), torch.column_stack((a, b)), torch.cartesian_prod(a[0], b[0]), torch.vstack((a, b))


@odd((5, 5))
def triangles(m, x):
    i, j = torch.triu_indices(5, 5, 1)
    return x[i, j], x.tril(-1), x.triu(1), torch.diag_embed(x), torch.tril(torch.ones(5, 5)) @ x


@odd((4, 3), ids(4, most=3))
def one_hot_codes(m, x, target):
    code = F.one_hot(target, 3)
    return code, (x * code).sum(-1), torch.zeros(4, 3).scatter(1, target[:, None], 1.0)


@odd((6, 2))
def adjacency(m, x):
    near = torch.cdist(x, x) < 1.5
    degree = near.sum(1)
    laplacian = torch.diag(degree) - near.int()
    reach = near.float()
    for _ in range(3):
        reach = (reach @ reach > 0).float()
    return laplacian, reach


@odd((3, 16))
def random_features(m, x):
    torch.manual_seed(4)
    return torch.cos(x @ torch.randn(16, 8) + 2 * math.pi * torch.rand(8)) * math.sqrt(2 / 8)


@odd((8, 4), centres=lambda: torch.randn(3, 4))
def clustering(m, x):
    centres = m.centres
    for _ in range(3):
        shares = (-torch.cdist(x, centres).square()).softmax(-1)
        centres = (shares.T @ x) / (shares.sum(0)[:, None] + 1e-6)
    return centres, shares


@odd((2, 5, 3), transition=lambda: torch.randn(3, 3))
def best_path(m, scores):
    best = scores[:, 0]
    back = []
    for t in range(1, 5):
        every = best[:, :, None] + m.transition
        value, where = every.max(1)
        best = value + scores[:, t]
        back.append(where)
    state = best.argmax(-1)
    path = [state]
    for where in reversed(back):
        state = where.gather(1, state[:, None]).squeeze(1)
        path.append(state)
    return torch.stack(path[::-1], 1), best.logsumexp(-1)


@odd((3, 4))
def variance_in_many_ways(m, x):
    return x.var(), x.var(0, unbiased=False), torch.std_mean(x, 1), x.norm(1, 0), x.norm(float("inf")), torch.cov(x), torch.corrcoef(x)


@odd((4, 5))
def extremes(m, x):
    return x.aminmax(), x.max(0), x.min(1, keepdim=True), x.argmax(), x.amax((0, 1)), x.max(-1).indices.unique()


@odd((3, 4))
def quantized_by_hand(m, x):
    scale = x.abs().amax(1, keepdim=True) / 127
    whole = torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8)
    return whole, whole.float() * scale, torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127)


@odd((4, 8), weight=lambda: torch.randint(-8, 8, (6, 8), dtype=torch.int8), scale=lambda: torch.rand(6, 1))
def weights_in_few_bits(m, x):
    return F.linear(x, m.weight.float() * m.scale)


@odd((4, 6), a=linear(6, 2), b=linear(2, 6), base=linear(6, 6))
def low_rank_update(m, x):
    return m.base(x) + 0.5 * m.b(m.a(x)), F.linear(x, m.base.weight + m.b.weight @ m.a.weight, m.base.bias)


@odd((3, 4), generator=linear(4, 20))
def weights_by_a_network(m, x):
    made = m.generator(x)
    return torch.baddbmm(made[:, 16:, None], made[:, :16].view(3, 4, 4), x[..., None]).squeeze(-1)


@odd_module((2, 3))
class CouplingFlow(nn.Module):
    """A flow of affine couplings with the logarithm of its determinant."""

    def __init__(self):
        super().__init__()
        self.nets = nn.ModuleList(nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 4)) for _ in range(3))

    def forward(self, x):
        total = x.new_zeros(len(x))
        for net in self.nets:
            a, b = x[:, :1], x[:, 1:]
            shift, scale = net(a).chunk(2, -1)
            x = torch.cat((b * torch.tanh(scale).exp() + shift, a), 1)
            total = total + torch.tanh(scale).sum(-1)
        return x, total - 0.5 * x.square().sum(-1) - math.log(2 * math.pi)


@odd_module((1, 6, 6))
class CellularAutomaton(nn.Module):
    """A game of life in convolutions."""

    def forward(self, x):
        alive = (x > 0).float()[:, None]
        kernel = torch.ones(1, 1, 3, 3)
        kernel[..., 1, 1] = 0
        for _ in range(3):
            count = F.conv2d(F.pad(alive, (1, 1, 1, 1), "circular"), kernel)
            alive = ((count == 3) | ((count == 2) & (alive > 0))).float()
        return alive.squeeze(1).bool()


@odd_module((4, 6))
class VariationalEncoder(nn.Module):
    """Encoder, a draw, decoder, divergence."""

    def __init__(self):
        super().__init__()
        self.mean, self.spread, self.back = nn.Linear(6, 2), nn.Linear(6, 2), nn.Linear(2, 6)

    def forward(self, x):
        mean, spread = self.mean(x), F.softplus(self.spread(x))
        z = mean + spread * torch.randn(4, 2, generator=torch.Generator().manual_seed(0))
        return self.back(z), 0.5 * (mean**2 + spread**2 - 2 * spread.log() - 1).sum(-1)


@odd_module((3, 8))
class DecisionTrees(nn.Module):
    """Three trees of depth three over chosen features, as comparisons and gathers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("feature", torch.randint(0, 8, (3, 3)))
        self.register_buffer("bound", torch.randn(3, 3))
        self.leaf = nn.Parameter(torch.randn(3, 8))

    def forward(self, x):
        bits = (x[:, self.feature] > self.bound).long()
        where = (bits * torch.tensor([4, 2, 1])).sum(-1)
        return torch.gather(self.leaf.expand(len(x), 3, 8), 2, where[..., None]).sum((1, 2))
