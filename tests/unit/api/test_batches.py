"""What becomes of a request whose parts are commits of their own."""

import asyncio

import pytest

from signet.errors import Invalid, StorageBusy
from signet.wire.memory import Modified
from signet_api.scopes import each


async def done(name: str) -> Modified:
    await asyncio.sleep(0)
    return {"success": True, "id": name, "status": "updated"}


async def failing(error: Exception) -> Modified:
    raise error


def test_a_part_that_the_storage_refuses_does_not_hide_the_others() -> None:
    async def ask() -> list[Modified]:
        return await each([("a", done("a")), ("b", failing(StorageBusy())), ("c", done("c"))])

    first, refused, last = asyncio.run(ask())
    assert (first["id"], last["id"]) == ("a", "c")
    assert refused["id"] == "b"
    assert (refused["success"], refused["status"]) == (False, "storage_busy")


def test_a_refusal_of_every_part_is_the_answer() -> None:
    async def ask() -> list[Modified]:
        return await each([("a", failing(StorageBusy())), ("b", failing(StorageBusy()))])

    with pytest.raises(StorageBusy):
        asyncio.run(ask())


def test_any_other_error_is_raised_when_all_parts_have_ended() -> None:
    ended: list[str] = []

    async def late() -> Modified:
        await asyncio.sleep(0)
        ended.append("late")
        return await done("late")

    async def ask() -> list[Modified]:
        return await each([("a", failing(Invalid("no"))), ("b", late())])

    with pytest.raises(Invalid):
        asyncio.run(ask())
    assert ended == ["late"]


def test_nothing_gives_nothing() -> None:
    async def ask() -> list[Modified]:
        return await each([])

    assert asyncio.run(ask()) == []
