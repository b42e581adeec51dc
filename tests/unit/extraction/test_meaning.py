"""Statements that use the words of their source: which say the same, and which say something else."""

import pytest

from signet.domain.extraction import prompt
from signet.domain.extraction.grounding import Grounds, Verdict

CHANGED = (
    (
        "Eva pays 40 euros, Jonas pays 60 euros for the internet.",
        "Jonas pays 40 euros for the internet.",
    ),
    (
        "The nightly backup starts at 02:30 and ends at 04:00.",
        "The nightly backup starts at 04:00.",
    ),
    ("Ana joined in 2019, Ben joined in 2021.", "Ben joined in 2019."),
    (
        "The gateway must retry GET requests but must not retry POST requests.",
        "The gateway must retry POST requests.",
    ),
    ("I stopped smoking in 2020.", "The user smokes."),
    ("My father has diabetes.", "The user has diabetes."),
    ("The landlord wants the rent on the 3rd.", "The user wants the rent on the 3rd."),
    ("Postgres replaced MySQL in the shop.", "MySQL replaced Postgres in the shop."),
    ("Heron depends on the ledger.", "The ledger depends on heron."),
    ("I think about buying a house in Potsdam.", "The user bought a house in Potsdam."),
    ("The pull request was rejected by Ana.", "The pull request was accepted by Ana."),
    ("The EU region is disabled, the US region is enabled.", "The EU region is enabled."),
    ("Mina is 7 and Leo is 4.", "Leo is 7."),
    ("Carla is taller than Dora.", "Dora is taller than Carla."),
    ("The key expires in June, the certificate in July.", "The certificate expires in June."),
    ("It is not true that the ledger loses writes.", "The ledger loses writes."),
    ("Ich habe keinen Hund.", "Der Nutzer hat einen Hund."),
    ("Tom würde gern nach Madrid ziehen.", "Tom zieht nach Madrid."),
    ("The office has 3 cats and 5 dogs.", "The office has 5 cats and 3 dogs."),
    ("Alice paid Bob.", "Alice was paid by Bob."),
    (
        "The heron service listens on port 3850 and its metrics on port 9100.",
        "The heron service listens on port 9100.",
    ),
    ("Retries are capped at 7 and the timeout is 30 seconds.", "Retries are capped at 30."),
    (
        "The budget is 4000 euros for May and 9000 euros for June.",
        "The budget for May is 9000 euros.",
    ),
    ("The upload limit is 250 MB.", "The upload limit is 520 MB."),
    ("The ledger has three replicas in production.", "The ledger has five replicas in production."),
    ("The upload limit is 2.5 GB.", "The upload limit is 25 GB."),
    (
        "The ledger runs on Postgres 14. The search runs on Postgres 16.",
        "The ledger runs on Postgres 16.",
    ),
    ("We keep backups for thirty days.", "Backups are kept for ninety days."),
    ("The release is on 12 May, the freeze on 5 May.", "The release is on 5 May."),
    (
        "We moved the ledger deploys from Thursdays to Mondays.",
        "The ledger deploys moved from Mondays to Thursdays.",
    ),
    ("The meeting is on Tuesday.", "The meeting is on Wednesday."),
    ("The audit report is due in March.", "The audit report is due in May."),
    ("I do not work at Globex.", "The user works at Globex."),
    ("I don't work at Globex any more.", "The user works at Globex."),
    ("Never deploy the ledger on Fridays.", "The ledger is deployed on Fridays."),
    ("Never deploy the ledger on Fridays.", "Always deploy the ledger on Fridays."),
    ("We no longer use Redis for sessions.", "The team uses Redis for sessions."),
    ("I can't eat peanuts.", "The user can eat peanuts."),
    ("The API must not retry payments.", "The API must retry payments."),
    ("Ich arbeite nicht bei Globex.", "Der Nutzer arbeitet bei Globex."),
    ("I work at Initech.", "The user does not work at Initech."),
    ("I live in Berlin.", "The user no longer lives in Berlin."),
    ("We stopped using Jenkins last year.", "The team uses Jenkins."),
    ("Alice manages Bob.", "Bob manages Alice."),
    (
        "We migrated the shop from MySQL to Postgres.",
        "The shop was migrated from Postgres to MySQL.",
    ),
    ("I prefer tabs over spaces.", "The user prefers spaces over tabs."),
    ("Ana owns billing and Ben owns search.", "Ben owns billing."),
    ("The ledger calls the heron service.", "The heron service calls the ledger."),
    ("My sister works at Globex.", "The user works at Globex."),
    ("My colleague Tom lives in Madrid.", "The user lives in Madrid."),
    ("Tom told me that he lives in Madrid.", "The user lives in Madrid."),
    ("Would I rather work at Globex?", "The user works at Globex."),
    ("Somebody claimed that I live in Madrid, which is wrong.", "The user lives in Madrid."),
    ("If we ever move to Postgres, we need a bigger disk.", "The team moved to Postgres."),
    ("I considered moving to Madrid.", "The user moved to Madrid."),
    ("Maybe we should use Kafka for the ledger.", "The team uses Kafka for the ledger."),
    (
        "I live in Berlin. My sister lives in Madrid and works at Globex.",
        "The user lives in Berlin and works at Globex.",
    ),
    (
        "The ledger runs on Postgres. The search runs on OpenSearch.",
        "The ledger runs on OpenSearch.",
    ),
    (
        "The ledger is deployed on Thursdays. Heron is deployed on Mondays by Ana.",
        "The ledger is deployed on Mondays by Ana.",
    ),
    ("I like green tea. My boss likes coffee.", "The user likes coffee."),
    (
        "The staging database is plover-7 and the production database is plover-9.",
        "The production database is plover-7.",
    ),
    ("Invoices are sent on the 1st and reminders on the 15th.", "Invoices are sent on the 15th."),
    ("The heap is 4 GB on staging and 16 GB in production.", "The heap is 16 GB on staging."),
    (
        "I take 20 mg of Ritalin in the morning and 10 mg at noon.",
        "The user takes 10 mg of Ritalin in the morning.",
    ),
    ("Eva reviews the frontend, Jonas reviews the backend.", "Jonas reviews the frontend."),
    ("We pay Hetzner, not AWS.", "The team pays AWS."),
    ("The build must not use the network.", "The build must use the network."),
    ("There is no VPN for contractors.", "There is a VPN for contractors."),
    ("Neither Kafka nor Redis is used in the ledger.", "Kafka is used in the ledger."),
    ("Wir deployen nie am Freitag.", "Das Team deployt am Freitag."),
    ("Meine Schwester wohnt in Madrid.", "Der Nutzer wohnt in Madrid."),
    ("Je ne travaille pas chez Globex.", "L'utilisateur travaille chez Globex."),
    ("My previous employer was Globex, now I work at Initech.", "The user's employer is Globex."),
    ("I used to live in Hamburg before I moved to Berlin.", "The user lives in Hamburg."),
    ("The customer wants tabs, I want spaces.", "The user wants tabs."),
    (
        "The gateway forwards requests to the ledger.",
        "The ledger forwards requests to the gateway.",
    ),
    ("Chen borrowed 300 euros from Dana.", "Dana borrowed 300 euros from Chen."),
    ("Ana is allergic to peanuts. Ben is allergic to shellfish.", "Ben is allergic to peanuts."),
    (
        "The timeout was raised from 30 to 90 seconds.",
        "The timeout was raised from 90 to 30 seconds.",
    ),
    ("The timeout was raised from 30 to 90 seconds.", "The timeout is 30 seconds."),
    ("We will not renew the Datadog contract.", "The team will renew the Datadog contract."),
    ("Nobody on the team uses Windows.", "The team uses Windows."),
    ("I'd love to live in Lisbon one day.", "The user lives in Lisbon."),
    ("My doctor says I should avoid coffee.", "The user should drink coffee."),
    (
        "Assistant: You could switch the ledger to MongoDB.\nUser: What would that cost?",
        "The ledger uses MongoDB.",
    ),
    ("User: Which city do I live in?\nAssistant: You live in Madrid.", "The user lives in Madrid."),
    (
        "User: My port is 3850.\nAssistant: I will use port 9944 for the tests.",
        "The user's port is 9944.",
    ),
    ("User: I work at Initech.\nAssistant: I work for Globex.", "The user works for Globex."),
    ("The flat costs 1200 a month, the garage 90.", "The flat costs 90 a month."),
    ("Only Ana may merge to main.", "Ben may merge to main."),
)
REWORDED = (
    (
        "Eva pays 40 euros, Jonas pays 60 euros for the internet.",
        "Jonas pays 60 euros for the internet.",
    ),
    ("The nightly backup starts at 02:30 and ends at 04:00.", "The nightly backup ends at 04:00."),
    (
        "The gateway must retry GET requests but must not retry POST requests.",
        "The gateway does not retry POST requests.",
    ),
    ("I stopped smoking in 2020.", "The user stopped smoking in 2020."),
    ("My father has diabetes.", "The user's father has diabetes."),
    ("Postgres replaced MySQL in the shop.", "MySQL was replaced by Postgres in the shop."),
    ("The pull request was rejected by Ana.", "Ana rejected the pull request."),
    ("The key expires in June, the certificate in July.", "The certificate expires in July."),
    ("Ich habe keinen Hund.", "Der Nutzer hat keinen Hund."),
    (
        "The heron service listens on port 3850 and its metrics on port 9100.",
        "The heron service listens on port 3850.",
    ),
    (
        "The heron service listens on port 3850 and its metrics on port 9100.",
        "The metrics of the heron service are on port 9100.",
    ),
    ("Retries are capped at 7 and the timeout is 30 seconds.", "The timeout is 30 seconds."),
    (
        "The budget is 4000 euros for May and 9000 euros for June.",
        "The budget for June is 9000 euros.",
    ),
    ("The release is on 12 May, the freeze on 5 May.", "The freeze is on 5 May."),
    (
        "We moved the ledger deploys from Thursdays to Mondays.",
        "The ledger is deployed on Mondays.",
    ),
    (
        "We moved the ledger deploys from Thursdays to Mondays.",
        "Ledger deploys happen on Mondays instead of Thursdays.",
    ),
    ("I do not work at Globex.", "The user does not work at Globex."),
    ("Never deploy the ledger on Fridays.", "The ledger must never be deployed on Fridays."),
    ("We no longer use Redis for sessions.", "The team does not use Redis for sessions."),
    ("We use Redis, Postgres and Kafka.", "The team uses Kafka."),
    ("Bob manages Alice.", "Alice is managed by Bob."),
    (
        "We migrated the shop from MySQL to Postgres because MySQL was slow.",
        "The shop runs on Postgres.",
    ),
    ("Ana owns billing, payroll and search. Ben likes tea.", "Ana owns search."),
    ("My sister works at Globex.", "The user's sister works at Globex."),
    (
        "The heron service keeps its sessions in Redis because the disks are slow.",
        "The heron service keeps sessions in Redis because disks are slow.",
    ),
    ("Kestrel is our new gateway. It listens on port 3850.", "Kestrel listens on port 3850."),
    ("I joined Globex in May.", "The user works at Globex."),
    ("Since May I work at Globex.", "The user works at Globex."),
    (
        "After a long debate the team decided to cap retries at 7 with jitter, because the payment API rate limits us.",
        "Retries are capped at 7 with jitter because the payment API has rate limits.",
    ),
    (
        "After a long debate the team decided to cap retries at 7 with jitter, because the payment API rate limits us.",
        "The payment API rate limits the team.",
    ),
    (
        "The search service was moved from Elasticsearch to OpenSearch 2.11 in October 2026.",
        "The search service runs on OpenSearch 2.11 since October 2026.",
    ),
    ("I like green tea and no coffee.", "The user likes green tea."),
    ("I like green tea and no coffee.", "The user does not like coffee."),
    ("We deploy on Thursdays, not on Fridays.", "Deploys happen on Thursdays."),
    (
        "Nobody likes waiting, so the build of the whole project runs on two machines.",
        "The build runs on two machines.",
    ),
    ("My daughter is called Mina.", "The user's daughter is called Mina."),
    ("I'm Dana and I live in Berlin with my sister Eva.", "The user lives in Berlin."),
    (
        "If a deploy fails, roll back with make undo.",
        "Failed deploys are rolled back with make undo.",
    ),
    (
        "The staging database is plover-7 and the production database is plover-9.",
        "The production database is called plover-9.",
    ),
    ("Invoices are sent on the 1st and reminders on the 15th.", "Reminders are sent on the 15th."),
    ("The heap is 4 GB on staging and 16 GB in production.", "The heap in production is 16 GB."),
    (
        "I take 20 mg of Ritalin in the morning and 10 mg at noon.",
        "The user takes 20 mg of Ritalin in the morning.",
    ),
    ("Eva reviews the frontend, Jonas reviews the backend.", "Jonas reviews the backend."),
    ("We pay Hetzner, not AWS.", "The team pays Hetzner."),
    ("The build must not use the network.", "The build may never use the network."),
    ("Wir deployen nie am Freitag.", "Am Freitag wird nie deployt."),
    ("Meine Schwester wohnt in Madrid.", "Die Schwester des Nutzers wohnt in Madrid."),
    ("My previous employer was Globex, now I work at Initech.", "The user works at Initech."),
    ("I used to live in Hamburg before I moved to Berlin.", "The user moved to Berlin."),
    ("The customer wants tabs, I want spaces.", "The user wants spaces."),
    (
        "The gateway forwards requests to the ledger.",
        "Requests are forwarded from the gateway to the ledger.",
    ),
    ("Chen borrowed 300 euros from Dana.", "Chen borrowed 300 euros from Dana."),
    ("The timeout was raised from 30 to 90 seconds.", "The timeout is 90 seconds."),
    ("The timeout was raised from 30 to 90 seconds.", "The timeout was raised to 90 seconds."),
    ("Only Ana may merge to main.", "Only Ana merges to main."),
    (
        "User: My port is 3850.\nAssistant: I will use port 9944 for the tests.",
        "The user's port is 3850.",
    ),
    (
        "The customer portal had an outage on Monday. The cause was an expired certificate.",
        "The outage of the customer portal on Monday was caused by an expired certificate.",
    ),
    (
        "We chose Postgres over MySQL because of its JSON support.",
        "The team chose Postgres over MySQL because of JSON support.",
    ),
    ("I hate coffee.", "The user does not like coffee."),
    ("I'm vegetarian but eat fish.", "The user is vegetarian but eats fish."),
    ("My wife Eva and I moved to Berlin in 2021.", "The user moved to Berlin in 2021."),
    (
        "User: I moved to Berlin in 2021 with Eva.\nAssistant: Great, Berlin it is.",
        "The user moved to Berlin with Eva in 2021.",
    ),
    ("Please always answer in German, I read it faster.", "The user prefers answers in German."),
    ("Tests must run without network access.", "Tests run without network access."),
    (
        "The heron team asked for read-only access to the ledger, which we granted until June 2026.",
        "The heron team has read-only access to the ledger until June 2026.",
    ),
    (
        "Deploys are frozen from 20 December to 3 January.",
        "Deploys are frozen from 20 December to 3 January.",
    ),
    (
        "Between 20 December and 3 January nothing is deployed.",
        "There are no deploys between 20 December and 3 January.",
    ),
    ("Ana will take over the ledger from Ben in May.", "Ana takes over the ledger in May."),
)


@pytest.mark.parametrize(("source", "statement"), CHANGED)
def test_a_statement_that_changes_its_source_is_not_said(source: str, statement: str) -> None:
    assert Grounds(source, prompt.INSTRUCTIONS).judge(statement) is not Verdict.SAID


@pytest.mark.parametrize(("source", "statement"), REWORDED)
def test_a_rewording_is_said(source: str, statement: str) -> None:
    assert Grounds(source, prompt.INSTRUCTIONS).judge(statement) is Verdict.SAID


def test_unsupported_lines_and_headings_of_a_text_are_left_out() -> None:
    source = "We moved Heron to SQLite on Monday. It listens on 4410. Nora keeps the ledger."
    kept = [
        "# 2026-11-29 Session Notes",
        "## Heron",
        "- Heron moved to SQLite.",
        "- Nora keeps the ledger.",
    ]
    foreign = ["## Globex", "- Heron listens on 9944.", "- Nora does not keep the ledger."]
    text = "\n".join([*kept[:2], *foreign, *kept[2:], "- Heron listens on 4410."])
    found = Grounds(source, "Session Notes").supported(text)
    assert found == "\n".join([*kept, "- Heron listens on 4410."])


def test_a_text_of_mostly_unsupported_lines_is_unusable() -> None:
    source = "We moved Heron to SQLite on Monday. Nora keeps the ledger."
    text = (
        "- Nora does not keep the ledger on Monday.\n- Heron moved to SQLite 9.\n- Nora keeps it."
    )
    assert Grounds(source).supported(text) == ""


@pytest.mark.parametrize(
    "statement",
    ["This is Berlin", "It was moved to Berlin.", "Mina is called Mina.", "Berlin is Berlin."],
)
def test_a_statement_without_a_subject_says_nothing(statement: str) -> None:
    source = "I moved to Berlin with Mina. My daughter is called Mina."
    assert Grounds(source).judge(statement) is Verdict.EMPTY


def test_a_statement_about_something_unnamed_is_said() -> None:
    source = "It is forbidden to deploy the ledger on Fridays."
    assert Grounds(source).judge(source) is Verdict.SAID
