"""Places in memory that experiments find: on interpreters whose source was read they are found, elsewhere they may not be."""

from __future__ import annotations

import sys

import pytest
import torch

from sol.runtime.torch import layout
from sol.runtime.torch.layout import WORD, attributes_pointer, counter_place, dict_tag, tensor_path, words_at

KNOWN = layout.objects_lie_at_id() and sys.version_info < (3, 13)


@pytest.mark.skipif(not KNOWN, reason="dicts of this interpreter do not count their changes")
def test_dicts_count_their_changes():
    tag = dict_tag()
    assert tag is not None
    items = {"a": object()}
    before = words_at(id(items) + tag, 1)
    assert items["a"] is items.get("a") and words_at(id(items) + tag, 1) == before
    items["a"] = object()
    assert words_at(id(items) + tag, 1) != before


def test_no_tag_where_attributes_escape_it(monkeypatch):
    monkeypatch.setattr(layout, "_attribute_changes", lambda owner: [(vars(owner), lambda: None)])
    assert dict_tag.__wrapped__() is None


@pytest.mark.parametrize("version", [(3, 9), (3, 13), (3, 14)])
def test_no_tag_in_other_versions(monkeypatch, version):
    monkeypatch.setattr(layout.sys, "version_info", version)
    assert dict_tag.__wrapped__() is None


def test_attributes_are_pointed_to():
    place = attributes_pointer()
    if not KNOWN:
        assert place is None or place % WORD == 0
        return
    assert place is not None
    for module in (torch.nn.Linear(1, 1), torch.nn.Sequential(), torch.nn.BatchNorm2d(1)):
        attributes = vars(module)
        assert words_at(id(module) + place, 1) == (id(attributes),)


def test_versions_of_tensors():
    path = tensor_path()
    assert path is not None and counter_place() is not None
    for tensor in (torch.zeros(3), torch.nn.Parameter(torch.zeros(2)), torch.zeros(2, 2, dtype=torch.int64).t()):
        with torch.no_grad():
            tensor.add_(1)
            tensor.add_(1)
        word = id(tensor)
        for offset in path:
            (word,) = words_at(word + offset, 1)
        assert word & 0xFFFFFFFF == tensor._version
        assert words_at(id(tensor) + path[0], 1) == (tensor._cdata,)
    assert all(offset % WORD == 0 for offset in path)


def test_places_of_tensors_are_found_in_inference_mode() -> None:
    with torch.inference_mode():
        assert counter_place.__wrapped__() == counter_place()
        assert tensor_path.__wrapped__() == tensor_path()
