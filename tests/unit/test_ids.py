"""New ids."""

import uuid

from signet import ids


def test_the_order_of_ids_is_the_order_of_their_creation() -> None:
    made = [ids.new_ordered_id() for _ in range(2_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert {uuid.UUID(one).version for one in made} == {7}
    assert {uuid.UUID(one).variant for one in made} == {uuid.RFC_4122}


def test_a_short_id_begins_a_uuid_and_leaves_other_ids_whole() -> None:
    for id_ in (ids.new_id(), ids.new_ordered_id()):
        assert id_.startswith(ids.short(id_)) and ids.is_short(ids.short(id_))
    assert ids.short("mem_ana") == "mem_ana" and not ids.is_short("mem_ana")
