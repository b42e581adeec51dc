"""The limits of size, prose and paths in `ratchets.toml` hold; `measures.py` lowers them."""

import pytest

from architecture import measures

#: A traced request may differ by this share between runs: background flushes, caches.
SPREAD = 1.03
TRIES = 5


@pytest.mark.parametrize("key", measures.limits()["size"])
def test_the_product_does_not_grow(key: str) -> None:
    assert measures.size()[key] <= measures.limits()["size"][key]


def test_every_setting_has_a_reader() -> None:
    limit = measures.limits()["size"]["settings_without_a_reader"]
    assert len(unread := measures.unread_settings()) <= limit, unread


def test_prose_reads_no_more_like_a_translation() -> None:
    assert (
        measures.prose()["marks_per_1000_words"]
        <= measures.limits()["prose"]["marks_per_1000_words"]
    )


def test_requests_enter_no_more_files_and_calls() -> None:
    """On a busy machine, work of the background may fall into each measurement of one try."""
    limits = measures.limits()["paths"]
    over = dict(limits)
    for _ in range(TRIES):
        found = measures.paths()
        assert found.keys() == limits.keys()
        over = {
            name: found[name]
            for name in over
            if found[name]["files"] > limits[name]["files"]
            or found[name]["calls"] > limits[name]["calls"] * SPREAD
        }
        if not over:
            break
    assert over == {}
