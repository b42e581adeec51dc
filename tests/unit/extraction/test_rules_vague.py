"""Sentences that are whole and yet say nothing to who was not there; and their neighbours that do."""

import pytest

from signet.domain.extraction import rules


def facts(text: str) -> list[str]:
    return [fact.content for fact in rules.extract(text).facts if fact.confidence >= 0.7]


@pytest.mark.parametrize(
    ("vague", "told"),
    [
        ("My goal is to keep pushing forward.", "My goal is to read forty novels by Borges."),
        ("My goal is to do my best.", "My goal is to run the Lisbon marathon in 2027."),
        ("I chose 6 AM over 8 AM.", "I chose the Lisbon flat over a house."),
        ("I agreed to stop by noon.", "I agreed to stop smoking by noon on June 4."),
        ("I've been using a mix of methods.", "I've been using a mix of clay and sand."),
        ("I'm planning to spend two days in the city.", "I'm planning to spend two days in Oslo."),
        ("We're planning to do joint work.", "We're planning the move of `ledger` to Postgres."),
        ("I completed 9 exercises.", "I completed 9 exercises in Rust."),
        ("My call with Ida is scheduled for 9 AM.", "My call with Ida is scheduled for June 4."),
        ("I met my aunt on the 12th.", "I met my aunt on June 12."),
        ("I went on a long hike.", "I went on a long hike in Norway."),
        ("My car is the best.", "My car is a blue estate."),
        ("I donated $50 on Sept 1.", "I donated $50 to Oxfam on Sept 1."),
        ("I finished chapters 4 and 7.", "I finished chapters 4 and 7 of my novel."),
        ("I cut waste by 40 %.", "I cut my waste by 40 %."),
        ("I saw a 25% rise in sales.", "I saw a 25% rise in my sales."),
        ("I attended all 5 rehearsals in Ghent.", "I attended rehearsals in Ghent on June 4."),
        ("I've been gathering information.", "I've been gathering information on bees."),
        ("I started by sorting photos on June 4.", "I started sorting photos on June 4."),
        ("I've got an alert set up.", "I've got an alert for flights to Rome."),
        ("I chose Diana.", "I chose Diana over Scott."),
        ("I saved 5 hours by May 3.", "I saved 5 hours of ironing by May 3."),
        ("I've budgeted $300 for 8 guests.", "I've budgeted $300 for wine and bread."),
        ("I've got a deadline to meet on July 22.", "I've got a deadline for my visa on July 22."),
        (
            "I just signed the contract on May 23.",
            "I just signed the contract with Acme on May 23.",
        ),
        ("I prepared the July 25 workshop.", "I prepared the July 25 workshop of Acme."),
        ("I tried to write new material.", "I quit smoking in 2019."),
        ("I solved 5 problems and got 4 right.", "I solved 5 problems of set theory."),
        ("I've got a limit of 5 loans.", "I've got a bike for the winter."),
        ("I read a book that moved me.", "I read a book about the history of Oslo in 2024."),
        ("I'm working on a project.", "I'm working on a project in Kotlin."),
        ("Fig is a great dog.", "Fig is my dog."),
        ("My team is like family.", "My team is based in Ghent."),
        ("I finished another vase.", "I finished a vase for Ida on 4 June."),
        ("I took a two-hour break on June 4.", "I took a course in Latin on June 4."),
        ("I keep getting the `EIO` error.", "I keep bees."),
        ("I like the Retro theme.", "I like retro themes."),
        ("I've been writing more songs.", "I've been writing songs about Oslo."),
        ("I organized my collection.", "I organized my collection of 40 stamps."),
        ("My sister had a tough time.", "My sister had twins."),
        ("Let's go with Friday, June 3.", "Let's go with DuckDB."),
    ],
)
def test_what_says_nothing_alone_is_left_out(vague: str, told: str) -> None:
    assert facts(f"User: {vague}") == []
    assert len(facts(f"User: {told}")) == 1


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "I bought a red kayak from Harbour Sports on June 4, and since it came with paddles.",
            "The user bought a red kayak from Harbour Sports on June 4.",
        ),
        (
            "I visited Tartu on June 3 and it was amazing!",
            "The user visited Tartu on June 3.",
        ),
    ],
)
def test_a_clause_that_lost_its_main_clause_is_cut(text: str, fact: str) -> None:
    assert facts(f"User: {text}") == [fact]
