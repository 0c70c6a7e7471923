"""A training step as a C library: a small network learns scikit-learn's digits in a C program, which needs neither Python nor PyTorch."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from train_digits import BATCH, accuracy, digits

import sol

PROGRAM = r"""
#include "Digits.h"
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 64, PIXELS = 64, EPOCHS = 20 };

int main(int count, char **argument)
{
    const int images = atoi(argument[1]);
    float *x = malloc(sizeof(float) * images * PIXELS), loss, sum;
    int64_t *y = malloc(sizeof(int64_t) * images);
    if (count < 2 || !x || !y || fread(x, sizeof(float) * PIXELS, images, stdin) + fread(y, sizeof(int64_t), images, stdin) != 2u * images)
        return 1;
    void *model = digits_create();
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        if (epoch == EPOCHS / 2) digits_set_lr(model, digits_lr(model) / 4);
        sum = 0;
        for (int i = 0; i + BATCH <= images; i += BATCH, sum += loss)
            if (digits_train_step(model, x + i * PIXELS, y + i, &loss) != 0) return fprintf(stderr, "%s\n", digits_last_error()), 1;
        if (epoch % 5 == 4) fprintf(stderr, "epoch %d: mean loss %.4f\n", epoch, sum / (images / BATCH));
    }
    for (int i = 0; i < digits_parameter_count(); i++) { /* what was learned, for Python */
        const size_t size = i == digits_parameter_index("1.num_batches_tracked") ? sizeof(int64_t) : sizeof(float);
        fwrite(digits_parameter(model, i), size, (size_t)digits_parameter_size(i), stdout);
    }
    digits_destroy(model);
    return 0;
}
"""


def main() -> None:
    torch.manual_seed(0)
    x, y, x_test, y_test = digits()
    layers = (nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    model = nn.Sequential(*layers, nn.Linear(256, 10))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sol.deploy(
            model, [x[:BATCH], y[:BATCH]], training=True, loss=F.cross_entropy, optimizer=optimizer, lib_name="Digits", func_name="digits",
            path=folder,
        )  # fmt: skip
        (folder / "main.c").write_text(PROGRAM)
        line = ["gcc", "-O1", "-Wall", "main.c", "libDigits.so", "-Wl,-rpath,$ORIGIN", "-o", "learn"]
        subprocess.run(line, check=True, cwd=folder)
        data = x.numpy().tobytes() + y.numpy().tobytes()
        learned = subprocess.run([folder / "learn", str(len(x))], input=data, check=True, stdout=subprocess.PIPE, env={}).stdout
    at = 0
    for tensor in [*model.parameters(), *model.buffers()]:
        size = tensor.numel() * tensor.element_size()
        with torch.no_grad():
            tensor.copy_(torch.frombuffer(bytearray(learned[at : at + size]), dtype=tensor.dtype).view(tensor.shape))
        at += size
    print(f"test accuracy of what C learned: {accuracy(model, x_test, y_test):.2%}")


if __name__ == "__main__":
    main()
