"""A transformer of two layers learns to continue a text, character by character. The text is made here: sums, spelled out."""

from __future__ import annotations

import random
import sys

import torch
from torch import nn
from torch.nn import functional as F
from training import Batch, report, train_both

import sol

WIDTH, HEADS, LENGTH, BATCH = 64, 4, 48, 16
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen".split()


def made_text(sums: int) -> str:
    """So many sums, such as "three plus four is seven." """
    draw = random.Random(0)
    pairs = [(draw.randrange(10), draw.randrange(10)) for _ in range(sums)]
    return " ".join(f"{NUMBERS[a]} plus {NUMBERS[b]} is {NUMBERS[a + b]}." for a, b in pairs)


class Block(nn.Module):
    """Attention to what came before, and a multilayer perceptron, each added to its normalised input."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention, self.before_mlp = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.heads, self.joined = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        q, k, v = self.heads(self.before_attention(x)).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.joined(attended.transpose(1, 2).reshape(batch, length, -1))
        return x + self.mlp(self.before_mlp(x))


class LanguageModel(nn.Module):
    """ids [batch, length] → scores of the next character [batch, length, characters]."""

    def __init__(self, characters: int) -> None:
        super().__init__()
        self.characters, self.places = nn.Embedding(characters, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks, self.norm = nn.Sequential(Block(), Block()), nn.LayerNorm(WIDTH)
        self.scores = nn.Linear(WIDTH, characters)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        places = torch.arange(ids.shape[1])
        return self.scores(self.norm(self.blocks(self.characters(ids) + self.places(places))))


def batches(ids: torch.Tensor, count: int) -> list[Batch]:
    """Random pieces of the text, and the same moved on by one character."""
    starts = torch.randint(0, len(ids) - LENGTH, (count, BATCH))
    pieces = [torch.stack([ids[s : s + LENGTH + 1] for s in some]) for some in starts.tolist()]
    return [(p[:, :-1].contiguous(), p[:, 1:].contiguous()) for p in pieces]


def loss_of(scores: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of the next characters."""
    return F.cross_entropy(scores.flatten(0, 1), wanted.flatten())


def continued(model: nn.Module, alphabet: str, start: str, characters: int) -> str:
    """The text and what the model finds likeliest behind it, letter by letter. start: at least as long as the pieces it learned from."""
    model.eval()
    text = start
    with torch.no_grad():
        for _ in range(characters):
            known = text[-LENGTH:]  # always so many, for which one program is compiled
            scores = model(torch.tensor([[alphabet.index(c) for c in known]]))
            text += alphabet[int(scores[0, -1].argmax())]
    return text


def main(steps: int) -> None:
    torch.manual_seed(0)
    text = made_text(4000)
    alphabet = "".join(sorted(set(text)))
    ids = torch.tensor([alphabet.index(c) for c in text])
    sol.config["training"] = "compiled"  # a model with attention would else train in PyTorch
    epochs = (batches(ids, 10) for _ in range(steps // 10))
    eager, ours = train_both(
        LanguageModel(len(alphabet)), torch.zeros(BATCH, LENGTH, dtype=torch.int64),
        lambda parameters: torch.optim.AdamW(parameters, lr=3e-3), loss_of, epochs,
    )  # fmt: skip
    report(eager, ours)
    start = "one plus one is two. seven plus two is nine. four plus two is"
    print(continued(ours.model, alphabet, start, 24))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
