"""New ids."""

import uuid

from signet import ids


def test_the_order_of_ids_is_the_order_of_their_creation() -> None:
    made = [ids.new_ordered_id() for _ in range(2_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert {uuid.UUID(one).version for one in made} == {7}
    assert {uuid.UUID(one).variant for one in made} == {uuid.RFC_4122}
