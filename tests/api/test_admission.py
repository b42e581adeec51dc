"""Questions go before saves, without keeping any save waiting for long or at all when it comes alone."""

import asyncio

from signet_api.admission import Admission

LONG_SECONDS = 3_600.0


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
