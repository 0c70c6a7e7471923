"""Odd networks on sequences: attention of many kinds, recurrences by hand and by layer, state spaces, spectra."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from tests.conformance.odd_networks import ids, linear, odd, odd_module


@odd(ids(2, 12), table=lambda: nn.Embedding(50, 16, padding_idx=0), head=linear(16, 50))
def tied_words(m, x):
    return F.linear(m.head(m.table(x)), torch.eye(50)) + m.table(x) @ m.table.weight.T


@odd((2, 10, 24), qkv=linear(24, 72), out=linear(24, 24))
def causal_attention(m, x):
    q, k, v = m.qkv(x).view(2, 10, 3, 3, 8).permute(2, 0, 3, 1, 4)
    return m.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


@odd((1, 9, 16), q=linear(16, 32), kv=linear(16, 16))
def grouped_queries(m, x):
    q = m.q(x).view(1, 9, 4, 8).transpose(1, 2)
    k, v = m.kv(x).view(1, 9, 1, 2, 8).permute(3, 0, 2, 1, 4)
    return F.scaled_dot_product_attention(q, k.expand(1, 4, 9, 8), v.expand(1, 4, 9, 8)).mean(1)


@odd((1, 8, 2, 16))
def rotary_positions(m, x):
    angles = torch.arange(8.0)[:, None] * 1e4 ** (-torch.arange(0, 16, 2) / 16)
    cos, sin = angles.cos()[None, :, None], angles.sin()[None, :, None]
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


@odd((2, 4, 13, 8))
def slopes_in_attention(m, x):
    slopes = 2.0 ** -torch.arange(1, 5)
    distance = torch.arange(13)[None] - torch.arange(13)[:, None]
    scores = x @ x.mT / math.sqrt(8) + slopes[:, None, None] * distance.clamp(max=0)
    return scores.masked_fill(distance > 0, float("-inf")).softmax(-1) @ x


@odd((1, 4, 16, 8))
def local_windows(m, x):
    keys = F.pad(x, (0, 0, 3, 0)).unfold(2, 4, 1)
    return torch.einsum("bhnd,bhndw->bhnw", x, keys).softmax(-1).unsqueeze(-2).mul(keys).sum(-1)


@odd((2, 12, 16), feature=linear(16, 16))
def linear_attention(m, x):
    q, k = F.elu(m.feature(x)) + 1, F.elu(m.feature(x.flip(1))) + 1
    context = torch.einsum("bnd,bne->bde", k, x)
    return torch.einsum("bnd,bde,bn->bne", q, context, 1 / (q @ k.sum(1).unsqueeze(-1)).squeeze(-1))


@odd((1, 20, 8), decay=lambda: nn.Parameter(torch.rand(8)))
def retention(m, x):
    gap = (torch.arange(20)[:, None] - torch.arange(20)).float()
    mask = torch.where(gap >= 0, torch.sigmoid(m.decay.mean()) ** gap.clamp(min=0), 0.0)
    return (x @ x.mT * mask) @ x


@odd((2, 6, 8), cell=lambda: nn.GRUCell(8, 10), head=linear(10, 3))
def cell_step_by_step(m, x):
    h = x.new_zeros(2, 10)
    outputs = []
    for step in x.unbind(1):
        h = m.cell(step, h)
        outputs.append(m.head(h))
    return torch.stack(outputs, 1), h


@odd((3, 7, 5), lstm=lambda: nn.LSTM(5, 6, 2, bidirectional=True, batch_first=True))
def both_directions(m, x):
    y, (h, c) = m.lstm(x)
    return y[:, -1], h.transpose(0, 1).flatten(1), c.amax(0)


@odd((7, 3, 5), (1, 3, 6), gru=lambda: nn.GRU(5, 6))
def started_recurrence(m, x, h):
    y, last = m.gru(x, torch.tanh(h))
    return y - last


@odd((4, 9, 6), rnn=lambda: nn.RNN(6, 12, nonlinearity="relu", batch_first=True))
def recurrence_of_relus(m, x):
    return m.rnn(x)[0].cumsum(1)


@odd((1, 11, 4), lstm=lambda: nn.LSTM(4, 8, proj_size=3, batch_first=True))
def projected_memory(m, x):
    return m.lstm(x)[0]


@odd((2, 30, 4), conv=lambda: nn.Conv1d(4, 12, 5, dilation=2), gate=lambda: nn.Conv1d(4, 12, 5, dilation=2))
def gated_waves(m, x):
    y = F.pad(x.transpose(1, 2), (8, 0))
    return (torch.tanh(m.conv(y)) * torch.sigmoid(m.gate(y))).transpose(1, 2)


@odd((1, 1, 400), stem=lambda: nn.Conv1d(1, 16, 10, 5, bias=False), norm=lambda: nn.GroupNorm(16, 16), next=lambda: nn.Conv1d(16, 16, 3, 2))
def features_of_sound(m, x):
    return F.gelu(m.next(F.gelu(m.norm(m.stem(x)))))


@odd((1, 256))
def spectrum_by_matrices(m, x):
    frames = x.unfold(1, 64, 16) * torch.hann_window(64)
    angle = -2 * math.pi * torch.outer(torch.arange(64.0), torch.arange(33.0)) / 64
    return ((frames @ angle.cos()) ** 2 + (frames @ angle.sin()) ** 2).clamp(min=1e-10).log10()


@odd((2, 64), scale=lambda: nn.Parameter(torch.rand(33)))
def filtered_spectrum(m, x):
    return torch.fft.irfft(torch.fft.rfft(x) * m.scale, n=64)


@odd((1, 512))
def power_of_short_spectra(m, x):
    return torch.stft(x, 64, 16, window=torch.hann_window(64), return_complex=True).abs().pow(2)


@odd((2, 8, 16), a=lambda: nn.Parameter(-torch.rand(16)), b=linear(16, 16), c=linear(16, 16))
def state_space_by_loop(m, x):
    state, outputs = torch.zeros(2, 16), []
    for t in range(8):
        state = state * m.a.exp() + m.b(x[:, t])
        outputs.append((state * m.c(x[:, t])).sum(-1))
    return torch.stack(outputs, 1)


@odd((2, 16, 4), rate=lambda: nn.Parameter(torch.randn(4)))
def state_space_by_sums(m, x):
    decay = F.logsigmoid(m.rate).expand(16, 4).cumsum(0)
    return decay.exp() * (x * (-decay).exp()).cumsum(1)


@odd((1, 6, 8), query=lambda: nn.Parameter(torch.randn(3, 8)), attend=lambda: nn.MultiheadAttention(8, 2, batch_first=True))
def learned_queries(m, x):
    y, weights = m.attend(m.query[None].expand(len(x), -1, -1), x, x)
    return y, weights


@odd((4, 2, 8), layer=lambda: nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, activation="gelu"))
def transformer_of_torch(m, x):
    return m.layer(x, src_mask=nn.Transformer.generate_square_subsequent_mask(4))


@odd((1, 5, 8), (1, 7, 8), model=lambda: nn.TransformerDecoderLayer(8, 2, 12, batch_first=True, dropout=0.0))
def decoder_of_torch(m, x, memory):
    return m.model(x, memory)


@odd((2, 6, 12), (2, 6), lambda: torch.tensor([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]]))
def masked_means(m, x, weights, mask):
    shares = weights.masked_fill(mask == 0, torch.finfo(torch.float32).min).softmax(-1)
    return (x * shares[..., None]).sum(1), (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


@odd((2, 5, 6), ids(2, 3, most=5))
def gathered_tokens(m, x, where):
    return x.gather(1, where[..., None].expand(-1, -1, 6)), torch.take_along_dim(x, where[..., None], 1)


@odd((1, 10, 8), router=linear(8, 4), up=lambda: nn.Parameter(torch.randn(4, 8, 16)), down=lambda: nn.Parameter(torch.randn(4, 16, 8)))
def experts_all_at_once(m, x):
    weights, chosen = m.router(x).softmax(-1).topk(2, -1)
    every = torch.einsum("bnef,efd->bned", F.silu(torch.einsum("bnd,edf->bnef", x, m.up)), m.down)
    picked = every.gather(2, chosen[..., None].expand(-1, -1, -1, 8))
    return (picked * weights[..., None]).sum(2)


@odd((12, 8), router=linear(8, 3), experts=lambda: nn.ModuleList(nn.Linear(8, 8) for _ in range(3)))
def experts_one_by_one(m, x):
    chosen = m.router(x).argmax(-1)
    result = torch.zeros_like(x)
    for i, expert in enumerate(m.experts):
        where = torch.nonzero(chosen == i).squeeze(-1)
        result.index_add_(0, where, expert(x[where]))
    return result


@odd((2, 9, 8), bag=lambda: nn.EmbeddingBag(20, 8, mode="mean"))
def bags_of_words(m, x):
    words = (x.abs().sum(-1) * 3).long() % 20
    return m.bag(words)


@odd(lambda: torch.tensor([3, 1, 4, 1, 5, 9, 2, 6]), lambda: torch.tensor([0, 2, 5]), bag=lambda: nn.EmbeddingBag(20, 8, mode="sum"))
def bags_of_unequal_size(m, words, starts):
    return m.bag(words, starts)


@odd(ids(1, 14, most=256), table=lambda: nn.Embedding(300, 8))
def hashes_of_neighbours(m, x):
    pairs = x * 31 + F.pad(x, (1, -1))
    return m.table(pairs % 300) + m.table(torch.bitwise_and(pairs, 255))


@odd((1, 16, 8), down=lambda: nn.Conv1d(8, 16, 4, 2, 1), up=lambda: nn.ConvTranspose1d(16, 8, 4, 2, 1))
def hourglass(m, x):
    y = x.mT
    return (y + m.up(F.glu(torch.cat((m.down(y), m.down(-y)), 1), 1))).mT


@odd((3, 4, 5), ids(3, 4, most=3))
def sums_by_segment(m, x, segment):
    empty = x.new_zeros(3, 3, 5)
    where = segment[..., None].expand_as(x)
    return empty.scatter_add(1, where, x), empty.scatter_reduce(1, where, x, "amax", include_self=False)


@odd((6, 4), lambda: torch.tensor([[0, 1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 5, 0, 3]]), w=linear(4, 4), a=linear(8, 1))
def attention_on_a_graph(m, x, edges):
    source, target = edges
    y = m.w(x)
    score = F.leaky_relu(m.a(torch.cat((y[source], y[target]), -1))).squeeze(-1).exp()
    total = torch.zeros(6).index_add(0, target, score)
    return torch.zeros(6, 4).index_add(0, target, y[source] * (score / total[target])[:, None])


@odd((2, 3, 8), first=lambda: nn.Bilinear(8, 8, 4), second=linear(4, 1))
def pairs_of_things(m, x):
    a, b = x[:, :, None].expand(-1, -1, 3, -1), x[:, None].expand(-1, 3, -1, -1)
    return m.second(F.selu(m.first(a.contiguous(), b.contiguous()))).squeeze(-1)


@odd((1, 20))
def running_statistics(m, x):
    count = torch.arange(1, 21)
    mean = x.cumsum(1) / count
    return mean, (x.square().cumsum(1) / count - mean.square()).clamp(min=0).sqrt(), x.cummax(1).values


@odd((2, 8, 8))
def sinkhorn(m, x):
    for _ in range(4):
        x = x - x.logsumexp(-1, keepdim=True)
        x = x - x.logsumexp(-2, keepdim=True)
    return x.exp()


@odd((1, 12, 6), weight=lambda: nn.Parameter(torch.randn(6, 4)), codes=lambda: torch.randn(16, 4))
def nearest_codes(m, x):
    y = x @ m.weight
    distance = y.square().sum(-1, keepdim=True) - 2 * y @ m.codes.T + m.codes.square().sum(-1)
    return m.codes[distance.argmin(-1)], distance.amin(-1)


@odd_module((2, 6, 8))
class Universal(nn.Module):
    """One layer applied until its halting units are full, at most five times, without branches."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
        self.halt = nn.Linear(8, 1)

    def forward(self, x):
        left, result = torch.ones(x.shape[:2]), torch.zeros_like(x)
        for _ in range(5):
            x = self.layer(x)
            p = torch.minimum(torch.sigmoid(self.halt(x)).squeeze(-1), left)
            result, left = result + p[..., None] * x, left - p
        return result + left[..., None] * x


@odd_module((1, 4, 8))
class KeysAndValues(nn.Module):
    """Attention that takes what it has seen so far and gives it back, grown."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.register_buffer("past", torch.randn(2, 1, 3, 8))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        k, v = torch.cat((self.past[0], k), 1), torch.cat((self.past[1], v), 1)
        mask = torch.ones(4, 7).tril(3).bool()
        return F.scaled_dot_product_attention(q, k, v, mask), {"past": (k, v), "length": k.shape[1]}
