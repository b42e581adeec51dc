"""Questions go before saves, without keeping any save waiting for long or at all when it comes alone."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from signet_api.admission import AT_ONCE, Admission
from support.http import Api

LONG_SECONDS = 3_600.0


class _Watched(Admission):
    """Notes who came."""

    def __init__(self) -> None:
        super().__init__(LONG_SECONDS)
        self.came: list[str] = []

    @contextmanager
    def question(self) -> Iterator[None]:
        self.came.append("question")
        with super().question():
            yield
        self.came.append("answer")

    async def save(self) -> None:
        self.came.append("save")
        await super().save()

    async def saved(self) -> None:
        self.came.append("saved")
        await super().saved()


def test_the_routes_that_save_and_those_that_answer_come_here(api: Api) -> None:
    watched = api.state.admission = _Watched()
    for name in ("memory/remember", "memory/save", "hook/remember"):
        assert api.post(f"/api/{name}", {"content": f"A {name} of copper"}).status == 200
    assert api.post("/api/memory/recall", {"query": "copper"}).status == 200
    assert api.get("/api/memory/search?q=copper").status == 200
    assert watched.came == ["save", "saved"] * 3 + ["question", "answer"] * 2


def test_a_question_that_fails_holds_no_save_back(api: Api) -> None:
    admission = api.state.admission = Admission(LONG_SECONDS)
    assert api.post("/api/memory/recall", {"query": "copper", "since": "never"}).status == 400

    async def run() -> None:
        for _ in range(2):
            await admission.save()

    asyncio.run(asyncio.wait_for(run(), 60))


def test_saves_wait_until_the_question_is_answered_all_but_the_first() -> None:
    async def run() -> list[str]:
        admission = Admission(LONG_SECONDS)
        went: list[str] = []

        async def save(name: str) -> None:
            await admission.save()
            went.append(name)

        with admission.question():
            await save("first")
            others = [asyncio.create_task(save(name)) for name in ("second", "third")]
            await asyncio.sleep(0)  # both have asked by now
            went.append("answered")
        await asyncio.gather(*others)
        return went

    assert asyncio.run(run()) == ["first", "answered", "second", "third"]


def test_saves_wait_for_the_last_of_several_questions() -> None:
    async def run() -> list[str]:
        admission = Admission(LONG_SECONDS)
        went: list[str] = []

        async def save() -> None:
            await admission.save()
            went.append("saved")

        with admission.question():
            with admission.question():
                await admission.save()
                waiting = asyncio.create_task(save())
                await asyncio.sleep(0)
            went.append("one is answered")
            await asyncio.sleep(0)
            went.append("both are answered")
        await waiting
        return went

    assert asyncio.run(run()) == ["one is answered", "both are answered", "saved"]


def test_one_save_passes_for_each_of_the_questions_that_overlap() -> None:
    async def run() -> None:
        admission = Admission(LONG_SECONDS)
        with admission.question():
            for _ in range(3):
                with admission.question():
                    await admission.save()

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_save_goes_on_when_its_time_is_over_though_the_question_is_not_answered() -> None:
    async def run() -> None:
        admission = Admission(0.001)
        with admission.question():
            for _ in range(3):
                await admission.save()

    asyncio.run(asyncio.wait_for(run(), 60))


def test_saves_without_a_question_wait_for_nothing() -> None:
    async def run() -> None:
        admission = Admission(LONG_SECONDS)
        with admission.question():
            await admission.save()
        await asyncio.gather(*(admission.save() for _ in range(100)))

    asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.parametrize("step", ["save", "saved"])
def test_after_a_question_a_burst_of_saves_lets_others_in_between(step: str) -> None:
    async def run() -> list[str]:
        admission = Admission(LONG_SECONDS)
        with admission.question():
            pass
        went: list[str] = []

        async def save() -> None:
            await getattr(admission, step)()
            went.append(step)

        async def other() -> None:
            went.append("other")

        coming = [save() for _ in range(AT_ONCE + 2)]
        await asyncio.gather(*coming, other())
        return went

    assert asyncio.run(run()) == [step] * AT_ONCE + ["other"] + [step] * 2
