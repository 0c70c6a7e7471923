"""BERT-base from transformers with random weights: the model's own output class comes back, and the time of a call."""

from __future__ import annotations

import torch
from networks import torchvision_models
from resnet50 import median_ms

import sol


def main() -> None:
    torchvision_models()  # transformers looks for torchvision
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig()
    model = BertModel(config).eval()
    inputs = {"input_ids": torch.randint(0, config.vocab_size, (1, 128)), "attention_mask": torch.ones(1, 128, dtype=torch.int64)}
    fast = sol.optimize(model, inputs)
    with torch.inference_mode():
        ours, theirs = fast(**inputs), model(**inputs)
        print(type(ours).__name__, f"max difference {(ours.last_hidden_state - theirs.last_hidden_state).abs().max():.1e}")
        print(f"eager torch {median_ms(lambda: model(**inputs)):.1f} ms, sol {median_ms(lambda: fast(**inputs)):.1f} ms")


if __name__ == "__main__":
    main()
