"""Secrets in a text: every form of the corpus is replaced, what only looks like one is left alone."""

import base64
import hashlib
import json
import random
import uuid

import pytest

from signet.text.masking import mask
from unit.text.formats import cases
from unit.text.ordinary import ORDINARY


@pytest.mark.parametrize("seed", range(5))
def test_two_hundred_forms_of_secrets_are_masked(seed: int) -> None:
    found = cases(seed)
    assert len({case.text for case in found}) >= 200
    missed = [case.text for case in found if case.secret in mask(case.text).text]
    assert len(missed) <= 0.02 * len(found), missed
    for case in found:
        masked = mask(case.text)
        assert mask(masked.text).text == masked.text
        assert masked.kinds == () or f"[masked: {masked.kinds[0]}]" in masked.text


def test_what_stands_around_a_secret_stays() -> None:
    token = "ghp_" + "1aB2" * 9
    assert mask(f"Deploys use {token}, not the old one.").text == (
        "Deploys use [masked: GitHub token], not the old one."
    )
    address = mask("postgres://app:" + "hunter2!" + "@db.internal:5432/app?sslmode=require")
    assert address.text == "postgres://app:[masked: password]@db.internal:5432/app?sslmode=require"
    assert address.kinds == ("password",)
    assert (
        mask("export FOO_TOKEN=" + "k7Q2m9" * 3).text
        == "export FOO_TOKEN=[masked: password or key]"
    )
    assert mask('{"password": "' + "Tr0ub4dor&3" + '", "user": "bob"}').text == (
        '{"password": "[masked: password or key]", "user": "bob"}'
    )


def test_what_was_found_in_one_place_is_masked_wherever_it_stands() -> None:
    value = "sk-live-" + "q9Kd3Lw8" * 2
    said = mask(
        f"here it is: {value}, put it into .env\nTAX_API_KEY={value}\nx{value} is another word"
    )
    assert said.text == (
        "here it is: [masked: password or key], put it into .env\nTAX_API_KEY=[masked: password or key]\n"
        f"x{value} is another word"
    )
    assert mask("PASSWORD=a1b2c!\nchapter a1b2c!").text.endswith("chapter a1b2c!")


@pytest.mark.parametrize(
    "sentence",
    [
        "the password of the sandbox is {}",
        "das Passwort für den Server lautet {}",
        "the token is {}",
        "the API key for the maps is {}, use that",
        "Der API-Schlüssel ist {}.",
    ],
)
def test_a_secret_that_a_sentence_tells_is_masked(sentence: str) -> None:
    secret = "k7Q2m9" * 3 + "Zx4"
    assert secret not in mask(sentence.format(secret)).text
    for other in ("wrong again", "expired", "required-for-api-v2", "in tests/unit/text/test_v2.py"):
        assert mask(sentence.format(other)).kinds == ()


def harmless() -> list[str]:
    """Return texts that hold long or secret-sounding things and no secret."""
    chance = random.Random(16)
    raw = bytes(chance.randrange(256) for _ in range(600))
    digest = hashlib.sha256(raw).hexdigest()
    made = [
        f"Fixed in commit {digest[:40]}, see sha256:{digest}.",
        f"The row has id {uuid.UUID(bytes=raw[:16])} and etag {digest[:32]}.",
        f"![logo](data:image/png;base64,{base64.b64encode(raw).decode()})",
        f"integrity sha512-{base64.b64encode(raw[:64]).decode()}",
        json.dumps({"id": str(uuid.UUID(bytes=raw[16:32])), "checksum": digest, "size": 1234567}),
        f"ssh-ed25519 AAAA{base64.b64encode(raw[:48]).decode()} bob@laptop",
    ]
    return [
        *made,
        "The token expires after an hour: refresh it in the background.",
        "password: str = Field(min_length=8)",
        "const token = await getToken(request.headers.authorization);",
        "login(username=username, password=password)",
        'api_key = os.environ["OPENAI_API_KEY"]',
        "Set `API_TOKEN=<your token>` and DB_PASSWORD=${DB_PASSWORD} first.",
        "password=********, secret: null, token: undefined, api_key: changeme",
        "max_tokens=4096, total_tokens: 128000, token_count = 17",
        "The secret is to knead the dough for twenty minutes.",
        "Secret: the garden behind the house; password: the usual one.",
        "Das Passwort ist im Tresor, der Schlüssel bei Ana.",
        "https://example.org/a/b?page=2&key=title&sort=asc#token-buckets",
        "See http://localhost:3850/docs and ssh://git@host.example/team/repo.git",
        "task_runner, desk-lamp-with-a-long-name-2024, risk_assessment_for_2025_quarter_3",
        "Use Authorization: Bearer <token> with every request.",
        "public_key = load_public_key('keys/signing_key.pub')",
    ]


@pytest.mark.parametrize("text", harmless())
def test_hashes_ids_images_and_programs_are_left_alone(text: str) -> None:
    assert mask(text).text == text


@pytest.mark.parametrize(
    "password", ["Summer2024!", "summer-2024", "correct-horse-battery-9", "p@ss/w0rd1", "toor123"]
)
def test_a_password_that_a_person_chose_is_masked(password: str) -> None:
    assert password not in mask(f"DB_PASSWORD={password}").text


def test_names_settings_code_and_logs_are_left_alone() -> None:
    assert len(ORDINARY) >= 120
    assert [text for text in ORDINARY if mask(text).text != text] == []


@pytest.mark.parametrize(
    "text",
    [
        "AWS_SECRET_ACCESS_KEY={}/9bPxRfi7Ck2mT/Kd0aQz",
        "token: ~/{}",
        "tokenValue={}",
        "the token {}",
        "Note the token: {}, then go on",
    ],
)
def test_a_secret_that_stands_where_an_ordinary_value_may_is_masked(text: str) -> None:
    secret = "wJ4lrX0tn" + "FEMIx7Q2m9pL"
    assert secret not in mask(text.format(secret)).text


@pytest.mark.parametrize(
    "piece",
    [
        "password=", 'password="', "token ", "eyJ", "eyJaaaaaaaaa.", "://a:", "-----BEGIN PRIVATE KEY-----",
        "mysql ", "docker login ", "cookie: a=b;", "ghp_a1", "Private-Lines: 9\nabc\n", "seed phrase", "&key=",
        "\u0130", "token" + "-" * 30, "secret=a-", "token=1.", 'secret="a ', "pat" + "a" * 14 + ".",
    ],
)  # fmt: skip
def test_a_long_hostile_text_is_read_to_its_end(piece: str) -> None:
    """A pattern that took more than linear time would not come back before the test is given up."""
    token = "ghp_" + "1aB2" * 9
    text = piece * (300_000 // len(piece))
    assert token not in mask(f"{text} {token}").text
