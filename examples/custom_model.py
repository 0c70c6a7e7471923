"""A model of one's own with dict inputs and outputs, dynamic batch, and parameters that keep changing."""

from __future__ import annotations

import torch

import sol


class TwoTowers(torch.nn.Module):
    """Scores pairs of an image and a token sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.image = torch.nn.Sequential(
            torch.nn.Conv2d(3, 32, 3, stride=2, padding=1), torch.nn.BatchNorm2d(32), torch.nn.ReLU(),
            torch.nn.Conv2d(32, 64, 3, stride=2, padding=1), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
        )  # fmt: skip
        self.tokens = torch.nn.Embedding(1000, 64)
        self.mix = torch.nn.Linear(128, 64)

    def forward(self, image: torch.Tensor, ids: torch.Tensor) -> dict[str, torch.Tensor]:
        left, right = self.image(image), self.tokens(ids).mean(1)
        hidden = torch.nn.functional.gelu(self.mix(torch.cat([left, right], 1)))
        return {"score": hidden.sum(-1).sigmoid(), "hidden": hidden}


def main() -> None:
    torch.manual_seed(0)
    model = TwoTowers().eval()
    batch = torch.export.Dim("batch", min=2, max=64)
    example = {"image": torch.rand(4, 3, 64, 64), "ids": torch.randint(0, 1000, (4, 12))}
    fast = sol.optimize(model, example, dynamic_shapes={"image": {0: batch}, "ids": {0: batch}})
    print(sol.explain(fast, example))

    with torch.no_grad():
        for size in (4, 7, 33):  # no new compilation
            inputs = {"image": torch.rand(size, 3, 64, 64), "ids": torch.randint(0, 1000, (size, 12))}
            ours, theirs = fast(**inputs), model(**inputs)
            print(size, {k: f"max difference {(ours[k] - theirs[k]).abs().max():.1e}" for k in theirs})
        model.mix.weight.mul_(2)  # the parameters are shared: the next call sees it
        print("after a change of the weights:", f"{(fast(**inputs)['score'] - model(**inputs)['score']).abs().max():.1e}")


if __name__ == "__main__":
    main()
