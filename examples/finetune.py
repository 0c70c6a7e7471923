"""Fine-tuning: torchvision's ResNet-18 with frozen layers. For parameters without `requires_grad` no gradient is computed."""

from __future__ import annotations

import torch
from networks import torchvision_models
from torch import nn
from torch.nn import functional as F
from training import Batch, report, train_both

CLASSES, BATCH, SIZE, STEPS = 4, 8, 96, 12
TRAINED = ("layer4.", "fc.")


def stripes(count: int) -> Batch:
    """Images [count, 3, 96, 96] of noisy stripes in one of four directions, and their directions."""
    direction = torch.arange(count) % CLASSES
    rows, columns = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    phases = torch.stack([rows, columns, rows + columns, rows - columns])[direction].float() + 6 * torch.rand(count, 1, 1)
    return (phases.sin()[:, None] + 0.5 * torch.randn(count, 3, SIZE, SIZE)), direction


def prepared() -> nn.Module:
    """A network whose first layers are frozen, and whose last layer has our classes. Weights are random: this example downloads nothing."""
    model = torchvision_models().resnet18(weights=None)
    model.fc = nn.Linear(model.fc.in_features, CLASSES)
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith(TRAINED)
    return model


def main() -> None:
    torch.manual_seed(0)
    model = prepared()
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    sgd = lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9)  # noqa: E731
    eager, ours = train_both(model, stripes(BATCH)[0], sgd, F.cross_entropy, [[stripes(BATCH)] for _ in range(STEPS)])
    report(eager, ours)
    changed = sorted({name.split(".")[0] for name, value in before.items() if not torch.equal(value, model.get_parameter(name))})
    frozen = [p for p in model.parameters() if not p.requires_grad]
    with_gradient = sum(p.grad is not None for p in frozen)
    print(f"changed: {', '.join(changed)}; {len(frozen)} frozen parameters, {with_gradient} of them with a gradient")


if __name__ == "__main__":
    main()
