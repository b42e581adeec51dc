"""Secrets in a text: every form of the corpus is replaced, what only looks like one is left alone."""

import base64
import hashlib
import json
import random
import re
import string
import tracemalloc
import uuid
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.sessions.prompt_text import is_only_mask
from signet.text import issuers
from signet.text.masking import mask
from support.growth import is_steep, processor_seconds, repeated
from unit.text import families
from unit.text.formats import cases
from unit.text.innocent import INNOCENT
from unit.text.ordinary import ORDINARY
from unit.text.prose import CALM, TOLD


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


@pytest.mark.parametrize("sentence", TOLD)
def test_a_password_in_a_sentence_is_masked(sentence: str) -> None:
    secrets = re.findall(r"\{(.*?)\}", sentence)
    masked = mask(re.sub(r"[{}]", "", sentence)).text
    assert secrets and not [secret for secret in secrets if secret in masked]
    assert mask(masked).text == masked


@pytest.mark.parametrize("sentence", CALM)
def test_a_sentence_about_passwords_stays(sentence: str) -> None:
    assert mask(sentence).text == sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <private>x\ny</private> b <PRIVATE>z</PRIVATE>", "a [masked: private text] b [masked: private text]"),
        ("<private>a <private>b</private> c", "[masked: private text] c"),
        ('{"c": "\\u003cprivate\\u003ex y\\u003c/private\\u003e z"}', '{"c": "[masked: private text] z"}'),
        ("use `<private>` and then </private>", "use `<private>` and then </private>"),
        ("an open <private> tag", "an open <private> tag"),
    ],
)  # fmt: skip
def test_what_people_mark_as_private_is_masked(text: str, expected: str) -> None:
    assert mask(text).text == expected
    assert mask(expected).text == expected


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


@pytest.mark.parametrize("seed", range(3))
def test_families_of_keys_and_other_ways_to_write_secrets_are_masked(seed: int) -> None:
    found = families.cases(seed)
    assert len(found) >= 390 and all(case.secrets for case in found)
    missed = []
    for case in found:
        masked = mask(case.text)
        missed += [case.text for secret in case.secrets if secret in masked.text]
        assert mask(masked.text).text == masked.text
    # Of a hundred random tokens one looks like a name.
    assert len(missed) <= 0.01 * len(found), missed


@pytest.mark.parametrize("text", [text.text for text in families.cases() if "hunter2" in text.text])
def test_a_short_password_of_a_person_is_masked_after_its_word_alone(text: str) -> None:
    assert "hunter2" not in mask(text).text
    assert mask("hunter2 joined the channel, then hunter3").kinds == ()


def test_texts_about_secrets_are_left_alone() -> None:
    assert len(INNOCENT) >= 80
    assert [text for text in INNOCENT if mask(text).text != text] == []


def pem(form: str) -> tuple[str, list[str]]:
    """Return a private key as a form shows it, and its lines."""
    chance = random.Random(form)
    alphabet = string.ascii_letters + string.digits + "+/"
    lines = ["".join(chance.choices(alphabet, k=64)) for _ in range(9)]
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    whole, cut = [begin, *lines, "q7Zk3w==", end], [begin, *lines[:6], lines[6][:30]]
    shown = {
        "whole": "\n".join(whole),
        "cut at the end": "\n".join(cut),
        "cut at the beginning": "\n".join(whole[3:]),
        "numbered": "\n".join(f"{number:6}\t{line}" for number, line in enumerate(whole, 1)),
        "numbered and cut": "\n".join(f"{number:6}→{line}" for number, line in enumerate(cut, 1)),
        "quoted and cut": "\n".join(f"> {line}" for line in cut),
        "added and cut": "\n".join(f"+{line}" for line in cut),
        "removed and cut": "\n".join(f"-{line}" for line in cut),
        "found by grep": "\n".join(f"tls/key:{number}:{line}" for number, line in enumerate(cut)),
        "logged": "\n".join(f"2026-11-28T10:00:00.123Z INFO reader: {line}" for line in cut),
        "JSON and cut": json.dumps({"key": "\n".join(cut)}),
        "JSON in JSON": json.dumps(json.dumps({"key": "\n".join(whole)})),
        "joined by blanks and cut": " ".join(cut),
        "strings of a program": " +\n".join(f'"{line}\\n"' for line in cut),
        "HTML": "<br>".join(whole),
        "with headers and cut": "\n".join([begin, "Proc-Type: 4,ENCRYPTED", "DEK-Info: DES-EDE3-CBC", "", *lines]),
        "SSH2": "\n".join(["---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", "Comment: x", *lines]),
        "body of OpenSSH": "\n".join(["b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAA", *lines]),
        "full width": "\n".join(cut).translate({code: code + 0xFEE0 for code in range(33, 127)}),
    }  # fmt: skip
    return shown[form], lines


PEM = (
    "whole", "cut at the end", "cut at the beginning", "numbered", "numbered and cut", "quoted and cut",
    "added and cut", "removed and cut", "found by grep", "logged", "JSON and cut",
    "JSON in JSON", "joined by blanks and cut",
    "strings of a program", "HTML", "with headers and cut", "SSH2", "body of OpenSSH", "full width",
)  # fmt: skip


@pytest.mark.parametrize("form", PEM)
def test_a_private_key_is_masked_in_every_form_and_wherever_it_is_cut(
    form: str,
) -> None:
    text, lines = pem(form)
    masked = mask(f"Here it is:\n{text}\nThat was all of it.")
    shown = "".join(chr(ord(one) - 0xFEE0) if ord(one) > 0xFF00 else one for one in masked.text)
    assert [line for line in lines if line[:20] in shown or line[-20:] in shown] == []
    assert "Here it is" in masked.text and "That was all of it." in masked.text


def test_what_only_mentions_a_private_key_stays() -> None:
    for text in (
        'if "-----BEGIN PRIVATE KEY-----" in text and "-----END PRIVATE KEY-----" in text:',
        "-----BEGIN CERTIFICATE-----\n" + "MIIB" + "k7Q2m9Zx" * 8 + "\n-----END CERTIFICATE-----",
    ):
        assert mask(text).text == text


#: Half a second for 1 MB, where one step of a loop takes 25 ns; half as much again for a busy machine.
MOST_PASSES = 30
_PARTS = st.sampled_from([case.text for case in families.cases(7)] + list(INNOCENT) + [
    "[masked: token]", "[masked: password or key]", "[masked: ", "password: ", "token=", " is ", '"', "'", "@", "://a:",
    "-----BEGIN PRIVATE KEY-----\n", "\n", " ", "=", ":", "]", "\uffff", "\\n",
])  # fmt: skip


@given(st.lists(st.tuples(_PARTS, st.integers(0, 200)), max_size=5))
def test_a_masked_text_stays_as_it_is(parts: list[tuple[str, int]]) -> None:
    masked = mask("".join(part[:most] for part, most in parts))
    assert mask(masked.text).text == masked.text
    assert "[masked: [masked" not in masked.text.replace("[masked: [masked: token]", "")


def test_a_mask_never_grows_and_hides_no_word() -> None:
    text = "postgres://app:" + "qwerty" + "@db/x: never write qwerty, and no password is a password"
    masked = mask(text).text
    assert (
        masked
        == "postgres://app:[masked: password]@db/x: never write qwerty, and no password is a password"
    )
    assert mask(f"{masked} password: [masked: password]").kinds == ()


@pytest.mark.parametrize(
    "password",
    ["password", "PASSWORD", "your_password", "new-password", "my_secret", "db_pass", "${PW}", "<password>", "****"],
)  # fmt: skip
def test_a_sample_address_stays(password: str) -> None:
    text = f"export DATABASE_URL=postgresql://user:{password}@localhost:5432/app"
    assert mask(text).text == text
    real = mask(text.replace(password, f"{password}9!kQ"))
    assert password.startswith(("$", "<")) or real.kinds == ("password",)


@pytest.mark.parametrize("kind", ["password", "token", "GitHub token", "private key"])
@pytest.mark.parametrize(
    "around",
    ["https://bob:{}@db.internal/x", "password={}", '"token": "{}"', "the password is {}.", "Cookie: sid={}; b=2",
     "curl -u bob:{} https://x", "https://x.example/?key={}", "Authorization: Bearer {}", "PGPASSWORD={}abc1!x",
     "https://{}@x.example", "mysql -p{} shop", "echo {} | sudo -S ls"],
)  # fmt: skip
def test_a_mask_is_not_masked(kind: str, around: str) -> None:
    text = around.format(f"[masked: {kind}]")
    assert mask(text).text == text
    assert mask(f"{text}\ntoken ghp_{'1aB2' * 9}").text == f"{text}\ntoken [masked: GitHub token]"


PIECES = (
    "secret_", "token_", "pwd", "api key ", "SK", "=", "password=ab1!xy ", "pwd=", "pwd=examplepwd=", "key=a ",
    "token token ", "password of ", "password for a b c d e f g ", "password is ", "password to ", "密码是",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1x9Z\n",
    "-----END PRIVATE KEY-----", "MIIEpAIBAAKCAQEA1x9Z ", "eyJ", "eyJaaaaaaaaa.", "ghp_a1B2c3D4e5F6g7H8i9J0 ",
    "ghp_a1", "sk-aaaaaaaaaaaaaaaaaaaaaaaa ", "://a:", "://a:b@", "a:b@", "cookie: a=b;", "-u a:bcde ", "mysql ",
    "mysql -p", ":*:", "&key=", "%20", "%41", "&#65;", "\u200b", "a\u200b", "ａ", "“", "\\n", '\\"', "[masked: a]",
    "[masked: ", "passphrase aa bb cc dd ", "seed phrase", "PIN: 1234 ", "echo ab1!xyz | ",
    "$6$aaaaaaaaaaaaaaaaaaaaaaa ", "user bob password ", "secret='a ", 'secret="a secret=\'a secret=`a ', "token>",
    "token>abcd</", "passauthkey=abcdef1 ", "--password a1!bcd ", "1/", "00D", "İ", "a", "secret=a-", "token=1.",
    "pataaaaaaaaaaaaaa.", "password (", "password:\n", "value=", "docker login ", "Private-Lines: 9\nabc\n",
    'password="', "pwd x", "pwd x1", "pw 1 ", "PIN 1234 ", "the password hunter2 ", "x1yZ is the password ",
    "login: a / ",
    "passphrase ", "seed phrase is ", "<private>", "</private>", "password a b c d ", "from Ab1xyz to ",
)  # fmt: skip


#: Mixtures of all pieces, and values that differ from each other.
MIXED = {
    "every piece": lambda number: random.Random(number).choice(PIECES),
    "passwords": lambda number: f"pwd={number:06x}=,",
    "paths": lambda number: f"pwd=a/{number}.x2,",
    "numbers": lambda number: f"PIN: {number % 10_000:04} ",
    "sentences": lambda number: f"A{number}bcd is password ",
    "words between": lambda number: f"pwd a b c x{number % 9_000}a ",
    "tokens": lambda number: f"token=Ab{number}.c ",
}  # fmt: skip


def passes_over(text: str) -> float:
    """Return the time of masking a text in the time of one loop over its characters, the least of three tries."""
    return min(processor_seconds(mask, text) / processor_seconds(counted, text) for _ in range(3))


def counted(text: str) -> int:
    count = 0
    for char in text:
        count += char == "\0"
    return count


@pytest.mark.parametrize("kind", MIXED)
def test_a_hostile_text_takes_at_most_so_many_loops_over_it(kind: str) -> None:
    parts = "".join(MIXED[kind](number) for number in range(40_000))
    assert passes_over(parts[:200_000]) < MOST_PASSES


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("pwd=k{:06x}!Z", "password or key"),
        ("db://app:k{:06x}!Z@host", "password"),
        ("ghp_q9Kd3Lw8q9Kd3{:06x}!Z", "GitHub token"),
        ("Ak{:06x}!Z is the password", "password"),
    ],
)
def test_more_secrets_than_a_list_of_passwords_has_are_masked_with_all_that_follows(
    line: str, kind: str
) -> None:
    lines = [line.format(number) for number in range(20_000)]
    masked = mask("\n".join(["Before. token=q9Kd3Lw8q9Kd3Lw8x", *lines, "The end is near."])).text
    assert masked.startswith("Before. token=[masked: ") and masked.endswith(f"[masked: {kind}]")
    assert lines[-1] not in masked and mask(masked).text == masked


def test_a_log_of_many_values_that_are_no_secrets_stays() -> None:
    log = "".join(
        f"10:00:{number % 60:02} tokens=1284 token: 12:34:56.789 pwd=~/work/app2\n"
        for number in range(20_000)
    )
    assert mask(log).text == log


@pytest.mark.parametrize("piece", PIECES)
def test_the_time_for_a_hostile_text_grows_with_its_length_alone(piece: str) -> None:
    assert not is_steep(mask, repeated(piece), 6_000)
    token = "ghp_" + "1aB2" * 9
    assert token not in mask(f"{repeated(piece)(20_000)} {token}").text


@pytest.mark.parametrize("blank", [" ", "\n", "\u3000"])
def test_a_token_anywhere_in_a_long_text_is_masked(blank: str) -> None:
    token = "ghp_" + "1aB2" * 9
    for start in range(issuers._PIECE - 41, issuers._PIECE + 2, 3):
        text = "x " * (start // 2) + blank + token + blank + "y " * issuers._PIECE + token
        assert mask(text).text.count("[masked: GitHub token]") == 2


def test_masking_a_long_text_takes_less_than_three_times_its_memory() -> None:
    text = "User: which port does the server use? 8080.\n" * 60_000
    tracemalloc.start()
    try:
        mask(text)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 3 * len(text)


def test_a_long_secret_is_not_compared_with_every_place() -> None:
    def text(chars: int) -> str:
        return f'password="{"k7Q2m9Zx!" * (chars // 18)}" ' + "k7Q2m9Zx, " * (chars // 20)

    assert not is_steep(mask, text, 24_000)


def test_many_different_secrets_are_masked_in_linear_time() -> None:
    def log(chars: int) -> str:
        chance = random.Random(3)
        lines = ("".join(chance.choices(string.ascii_letters, k=9)) for _ in range(chars // 30))
        return "".join(f"pwd=aB1!zzzz{line} {line}\n" for line in lines)

    assert not is_steep(mask, log, 12_000)


@pytest.mark.parametrize("sign", "&|;<>'\"`,(){}[]\\#!%$@*+=?/:~^.")
def test_a_password_with_any_sign_is_masked_to_its_end(sign: str) -> None:
    word = f"Tr0ub4dor{sign}3xyz"
    for text in (
        f"db:\n  password: {word}\n  port: 5432",
        f"export DB_PASSWORD={word}\necho done",
        json.dumps({"password": word, "user": "bob"}),
        f"The staging password is {word} and the port is 5432.",
        f"Das Passwort lautet {word}.",
        f"https://shop.test/?password={quote(word)}&user=bob",
        f"postgres://app:{quote(word, safe='')}@db/shop",
    ):
        masked = mask(text).text
        assert "3xyz" not in masked and "Tr0ub" not in masked, masked
        assert not text.startswith("https") or masked.endswith("&user=bob")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Server=db;Password=Tr0ub4dor3xyz;Database=shop", ";Database=shop"),
        ("<password>Tr0ub4dor3xyz</password>", "</password>"),
        ("connect(password=Tr0ub4dor3xyz, port=5432)", ", port=5432)"),
        ("password=Tr0ub4dor3xyz&next=1", "&next=1"),
        ("pw: Tr0ub4dor3xyz, then log in", ", then log in"),
    ],
)
def test_what_follows_a_password_stays(text: str, kept: str) -> None:
    assert mask(text).text.endswith(f"]{kept}")


@pytest.mark.parametrize(
    "token",
    [
        "sk-proj-abcdefghijklmnopqrstuvwxyz1234567890ABCD",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "glpat-abcdefghij1234567890",
        "xoxb-123456789012-abcdefghijkl",
    ],
)
def test_a_whole_token_is_masked_even_if_it_looks_like_a_sample(token: str) -> None:
    assert token not in mask(f"use {token} there").text


@pytest.mark.parametrize(
    ("text", "is_only"),
    [
        ("[masked: AWS access key]", True),
        ("the shop key is [masked: OpenAI key]", True),
        ("Mein Passwort lautet **[masked: password]**.", True),
        ("DB_PASSWORD='[masked: password or key]'", True),
        ("[masked: password] is the database password", True),
        ("Deploy with the key [masked: OpenAI key] from the vault, never from the file.", False),
        ("Ana deploys on Friday. The key is [masked: token] and the port is 5432.", False),
        ("Ana deploys on Friday", False),
    ],
)
def test_a_text_that_states_nothing_but_a_mask(text: str, is_only: bool) -> None:
    assert is_only_mask(text) is is_only
