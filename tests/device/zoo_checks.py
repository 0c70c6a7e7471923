"""Large networks on the device, in one process for each that tests/device/test_networks.py starts in the conformance suite."""

from __future__ import annotations

import copy
import sys

import torch
from torch import nn

import sol
from examples.networks import randomize_statistics, torchvision_models
from tests.device.network_checks import near
from tests.device.support import run_checks


class Field(nn.Module):
    """A model of transformers as a function of token ids that gives one tensor."""

    def __init__(self, model, field):
        super().__init__()
        self.model, self.field = model, field

    def forward(self, ids):
        return getattr(self.model(input_ids=ids, use_cache=False), self.field)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.scan, self.out = nn.LSTM(128, 256, num_layers=2, batch_first=True), nn.Linear(256, 10)

    def forward(self, x):
        return self.out(self.scan(x)[0][:, -1])


def same_results(model: nn.Module, x: torch.Tensor) -> None:
    """Inference, compiled on the device, beside eager; gradients of a loss beside compiled training on the CPU."""
    with torch.no_grad():
        wanted = model(x)
        fast = sol.optimize(copy.deepcopy(model), [x]).sol()
        near(fast(x.sol()), wanted)
        near(fast(x), wanted, "cpu")
    host = sol.optimize(copy.deepcopy(model), [x]).train()
    fast.train()
    for m in (host, fast):
        torch.manual_seed(0)  # of dropout
        m(x.sol() if m is fast else x).square().mean().backward()
    for a, b in zip(fast.parameters(), host.parameters()):
        if b.grad is not None:
            torch.testing.assert_close(a.grad.cpu(), b.grad, rtol=1e-3, atol=1e-3 * b.grad.abs().max().item() + 1e-7)


def image_network(name: str) -> None:
    same_results(randomize_statistics(getattr(torchvision_models(), name)(weights=None)), torch.rand(2, 3, 224, 224))


def check_resnet50():
    image_network("resnet50")


def check_mobilenet_v2():
    image_network("mobilenet_v2")


def check_densenet121():
    image_network("densenet121")


def check_bert():
    torchvision_models()
    from transformers import BertConfig, BertModel

    config = BertConfig(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    same_results(Field(BertModel(config), "last_hidden_state").eval(), torch.randint(0, 30000, (1, 128)))


def check_gpt2():
    torchvision_models()
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
    same_results(Field(GPT2LMHeadModel(config), "logits").eval(), torch.randint(0, 50000, (1, 128)))


def check_lstm():
    same_results(Recurrent().eval(), torch.rand(2, 50, 128))


if __name__ == "__main__":
    torch.manual_seed(0)
    sys.exit(run_checks(globals()))
