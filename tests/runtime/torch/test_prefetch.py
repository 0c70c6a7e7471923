"""What is fetched ahead of a call: addresses of what the staleness check reads, and nothing but hints."""

from __future__ import annotations

import torch

import sol
from sol.runtime.torch import change_words, layout
from sol.runtime.torch.prefetch import LINE, dict_lines, lines_of, tensor_lines
from tests.models.networks import build


def test_lines_cover_the_objects():
    tensor, table = torch.zeros(3), {"weight": 1, "bias": 2}
    lines = lines_of([table], [tensor])
    assert all(line % LINE == 0 for line in lines) and len(set(lines)) == len(lines)
    for address in (id(tensor), tensor._cdata, id(table)):
        assert address & -LINE in lines


def test_the_version_counter_is_found():
    place = layout.counter_place()
    assert place is not None
    tensor = torch.zeros(2)
    pointer = layout.words_at(tensor._cdata, layout.IMPLEMENTATION // layout.WORD)[place[0]]
    assert pointer & -LINE in tensor_lines(tensor)


def test_growing_dicts_are_followed():
    assert len(dict_lines({str(i): i for i in range(200)})) > len(dict_lines({"a": 1}))


def test_changes_are_seen_after_lines_were_made(monkeypatch):
    monkeypatch.setattr(change_words, "dict_tag", lambda: None)
    monkeypatch.setattr(change_words, "tensor_path", lambda: None)
    model, make = build("mobilenet_v2")
    model.eval()
    x = make(1)
    fast = sol.optimize(model, list(x))
    assert fast._ahead is not None
    with torch.no_grad():
        fast(*x)
        model.classifier[1].bias.add_(1)
        torch.testing.assert_close(fast(*x), model(*x), rtol=1e-4, atol=1e-4)
        model.classifier[1].weight = torch.nn.Parameter(torch.zeros_like(model.classifier[1].weight))
        torch.testing.assert_close(fast(*x), model(*x), rtol=1e-4, atol=1e-4)
