"""Operands are written in place where their producers can, and copied where not."""

from __future__ import annotations

from sol.passes.place_concats import Slot, concat_slots
from tests.passes.support import CONV3, fused, regions


def network(body: str, outputs: str, inputs: str = "%x: f32[2,4,6]") -> str:
    return f"graph({inputs}) {{\n  %a: f32[2,4,6] = relu(%x)\n  %b: f32[2,4,6] = neg(%x)\n  {body}\n  return {outputs}\n}}"


def copies(text: str, **env: int) -> int:
    return sum(r in (["copy"], ["reorder"]) for r in regions(fused(text, **env)))


def test_operands_are_written_in_place():
    after = fused(network("%c: f32[2,8,6] = concat(%a, %b){dim=1}\n  %y: f32[2,8,6] = exp(%c)", "%y"))
    assert regions(after) == [["relu"], ["neg"], ["exp"]]
    assert list(concat_slots(after).values()) == [Slot("c", 1, 0), Slot("c", 1, 4)]


def test_an_output_is_written_in_place():
    assert copies(network("%c: f32[2,8,6] = concat(%a, %b){dim=1}", "%c")) == 0


def test_an_operand_used_twice():
    assert copies(network("%c: f32[2,12,6] = concat(%a, %b, %a){dim=1}", "%c")) == 2


def test_an_operand_of_two_concats():
    assert copies(network("%c: f32[2,8,6] = concat(%a, %b){dim=1}\n  %d: f32[2,8,6] = concat(%b, %a){dim=1}", "%c, %d")) == 2


def test_growing_prefixes_share_one_buffer():
    body = """%c: f32[2,8,6] = concat(%a, %b){dim=1}
  %n: f32[2,8,6] = exp(%c)
  %d: f32[2,16,6] = concat(%a, %b, %n){dim=1}
  %y: f32[2,16,6] = neg(%d)"""
    after = fused(network(body, "%y"))
    assert regions(after) == [["relu"], ["neg"], ["exp"], ["neg"]]
    assert concat_slots(after)["c"] == Slot("d", 1, 0)


def test_a_concat_of_concats():
    body = """%c: f32[2,8,6] = concat(%a, %b){dim=1}
  %e: f32[2,4,6] = exp(%x)
  %d: f32[2,12,6] = concat(%e, %c){dim=1}"""
    assert copies(network(body, "%d")) == 0


def test_a_concat_that_shares_an_operand_with_its_owner():
    body = """%c: f32[2,8,6] = concat(%a, %b){dim=1}
  %d: f32[2,12,6] = concat(%a, %c){dim=1}
  %y: f32[2,8,6] = exp(%c)"""
    assert copies(network(body, "%d, %y")) == 1


def test_a_concat_along_another_dimension():
    body = """%c: f32[2,4,12] = concat(%a, %b){dim=2}
  %e: f32[2,4,12] = exp(%c)
  %d: f32[2,8,12] = concat(%c, %e){dim=1}"""
    assert copies(network(body, "%d")) == 1


def test_inputs_outputs_and_constants_are_copied():
    body = '%p = parameter{target="p"}: f32[2,4,6]\n  %c: f32[2,16,6] = concat(%x, %a, %p, %b){dim=1}'
    assert copies(network(body, "%c, %a")) == 3


def test_an_operand_whose_views_need_adjacent_rows_is_copied():
    body = "%c: f32[2,8,6] = concat(%a, %b){dim=1}\n  %r: f32[48] = reshape(%a){shape=(48,)}\n  %y: f32[48] = exp(%r)"
    assert copies(network(body, "%c, %y")) == 1


def test_a_view_as_an_operand_is_copied():
    body = "%p: f32[2,6,4] = permute(%a){order=(0, 2, 1)}\n  %c: f32[2,6,8] = concat(%p, %p){dim=2}"
    assert copies(network(body, "%c")) == 2


def test_blocked_branches_and_symbolic_batch():
    text = f"""graph(%x: f32[n,16,5,5]) where n in [2, 9] {{
  %w = parameter{{target="w"}}: f32[16,16,3,3]
  %a: f32[n,16,5,5] = conv(%x, %w){CONV3}
  %b: f32[n,16,5,5] = relu(%x)
  %c: f32[n,32,5,5] = concat(%a, %b){{dim=1}}
  %v = parameter{{target="v"}}: f32[16,32,3,3]
  %y: f32[n,16,5,5] = conv(%c, %v){CONV3}
  return %y
}}"""
    after = regions(fused(text, n=3))
    assert after.count(["conv"]) == 2 and ["copy"] not in after


SCATTERED = "%x: f32[40,6], %i: i64[3,6], %u: f32[3,6]"


def scattered(body: str, outputs: str) -> str:
    return f"graph({SCATTERED}) {{\n  %a: f32[40,6] = exp(%x)\n  {body}\n  return {outputs}\n}}"


SCATTER = '%s: f32[40,6] = scatter(%a, %i, %u){dim=0, reduction="add"}'


def test_what_is_scattered_over_is_made_where_the_result_lies():
    assert concat_slots(fused(scattered(SCATTER, "%s"))) == {"exp": Slot("scatter", 0, 0)}


def test_what_others_read_is_not_scattered_over():
    assert not concat_slots(fused(scattered(SCATTER, "%s, %a")))
    second = SCATTER.replace("%s", "%t").replace("add", "mul")
    assert not concat_slots(fused(scattered(f"{SCATTER}\n  {second}", "%s, %t")))
    twice = '%s: f32[40,6] = scatter(%a, %i, %a){dim=0, reduction="none"}'.replace("%i", "%j")
    assert not concat_slots(fused(scattered(twice, "%s").replace("%i: i64[3,6]", "%j: i64[40,6]")))
    given = '%s: f32[40,6] = scatter(%x, %i, %u){dim=0, reduction="add"}'
    assert not concat_slots(fused(scattered(given, "%s, %a")))
