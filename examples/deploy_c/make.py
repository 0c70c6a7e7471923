"""Writes ResNet-50 as a C library into a folder; main.c beside this file is a program that uses it.

    python examples/deploy_c/make.py out
    gcc -Iout examples/deploy_c/main.c out/libResNet50.so -Wl,-rpath,out -o classify
    ./classify
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

import sol

sys.path.append(str(Path(__file__).parents[1]))
from networks import randomize_statistics, torchvision_models  # noqa: E402


def main(folder: str) -> None:
    torch.manual_seed(0)
    model = randomize_statistics(torchvision_models().resnet50(weights=None))
    made = sol.deploy(
        model, [torch.rand(1, 3, 224, 224)], target=sol.deployment.shared_lib, lib_name="ResNet50", func_name="predict", path=folder
    )  # fmt: skip
    print(made)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "out")
