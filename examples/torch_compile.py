"""sol as a backend of torch.compile: nothing of sol is imported, graph breaks and Python control flow are Dynamo's business."""

from __future__ import annotations

import torch


class Router(torch.nn.Module):
    """Takes one of two branches depending on the data."""

    def __init__(self) -> None:
        super().__init__()
        self.shared, self.left, self.right = torch.nn.Linear(64, 64), torch.nn.Linear(64, 8), torch.nn.Linear(64, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.shared(x))
        if hidden.sum() > 100:
            return self.left(hidden)
        return self.right(hidden)


def main() -> None:
    torch.manual_seed(0)
    model = Router().eval()
    fast = torch.compile(model, backend="sol")
    with torch.no_grad():
        for scale in (0.1, 10.0):
            x = scale * torch.rand(16, 64)
            print(f"scale {scale}: max difference {(fast(x) - model(x)).abs().max():.1e}")


if __name__ == "__main__":
    main()
