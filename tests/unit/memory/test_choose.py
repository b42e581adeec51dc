"""The token of a set of memories, and when it is asked for (MEM-34 to MEM-36)."""

import pytest

from signet.domain.memory.choose import Choice, ForgetCandidate, Unconfirmed, confirm, confirm_token


def candidates(count: int) -> list[ForgetCandidate]:
    return [
        ForgetCandidate(id=f"m{n}", score=0.0, pinned=False, version=1, why="")
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("ids", "token"),
    [
        (("a", "b"), "0eab8a0a3380abf4c7d1fb0b43b66aaf"),
        (("b", "a", "b"), "0eab8a0a3380abf4c7d1fb0b43b66aaf"),
        (("mem-1", "mem-2"), "6a164b92592523ad243ef66aacd27449"),
        ((), "e3b0c44298fc1c149afbf4c8996fb924"),
    ],
)
def test_the_token_depends_on_the_set_alone(ids: tuple[str, ...], token: str) -> None:
    assert confirm_token(ids) == token


def test_25_need_no_token_and_26_need_their_own() -> None:
    confirm(candidates(25), None)
    many = candidates(26)
    confirm(many, confirm_token(one.id for one in many))
    for token in (None, "", confirm_token(["m1"])):
        with pytest.raises(Unconfirmed) as refused:
            confirm(many, token)
        assert refused.value.facts == {"success": False, "requiresConfirm": True, "count": 26}


@pytest.mark.parametrize(
    ("choice", "size"),
    [
        (Choice(), 20),
        (Choice(limit=5), 5),
        (Choice(limit=5_000), 200),
        (Choice(ids=("a",) * 60), 60),
        (Choice(ids=("a",) * 60, limit=3), 3),
        (Choice(ids=("a",) * 600), 200),
    ],
)
def test_named_memories_are_all_chosen_unless_a_limit_says_less(choice: Choice, size: int) -> None:
    assert choice.size == size
