"""Two hundred texts with a secret each, made anew in every run: no scanner of repositories finds one in here."""

import base64
import json
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass

_HEX = "0123456789abcdef"
_WORD = string.ascii_letters + string.digits
_URL = _WORD + "-_"
_UPPER = string.ascii_uppercase + string.digits

#: Prefix, alphabet and length of what follows, as their issuers describe them.
_ISSUED: tuple[tuple[str, str, int], ...] = (
    ("ghp_", _WORD, 36), ("gho_", _WORD, 36), ("ghu_", _WORD, 36), ("ghs_", _WORD, 36), ("ghr_", _WORD, 36),
    ("github_" + "pat_", _WORD, 82), ("glpat" + "-", _URL, 20), ("gldt-", _URL, 20), ("glrt-", _URL, 20),
    ("glptt-", _HEX, 40), ("sk-" + "ant-api03-", _URL, 95), ("sk-" + "or-v1-", _HEX, 64),
    ("sk-" + "proj-", _URL, 120),
    ("sk-" + "svcacct-", _URL, 100), ("sk-", _WORD, 48), ("sk-", _HEX, 32), ("xoxb-", _WORD, 50),
    ("xoxp-", _WORD, 60),
    ("xapp-1-", _UPPER, 50), ("sk_" + "live_", _WORD, 24), ("sk_" + "test_", _WORD, 99), ("rk_" + "live_", _WORD, 24),
    ("whsec" + "_", _WORD, 32), ("AI" + "za", _URL, 35), ("ya29.", _URL, 120), ("GOC" + "SPX-", _URL, 28),
    ("npm" + "_", _WORD, 36), ("pypi-" + "AgEIcHlwaS5vcmc", _URL, 120), ("rubygems" + "_", _HEX, 48),
    ("dckr_" + "pat_", _URL, 27), ("hf" + "_", _WORD, 34), ("r8" + "_", _WORD, 37), ("gsk" + "_", _WORD, 52),
    ("xai-", _WORD, 80), ("pplx-", _HEX, 48), ("SG.", _URL, 66), ("dop_" + "v1_", _HEX, 64),
    ("shp" + "at_", _HEX, 32),
    ("sq0" + "atp-", _URL, 22), ("sq0" + "csp-", _URL, 43), ("dapi", _HEX, 32), ("sl.B", _URL, 130),
    ("lin_" + "api_", _WORD, 40), ("ntn" + "_", _WORD, 46), ("secret" + "_", _WORD, 43), ("PMAK-", _HEX, 59),
    ("NRAK-", _UPPER, 27), ("glsa" + "_", _WORD, 41), ("hvs.", _URL, 90), ("HRKU-", _URL, 60),
    ("fo1" + "_", _URL, 43),
    ("nfp" + "_", _WORD, 36), ("sntrys" + "_", _WORD, 100), ("dp.pt.", _WORD, 43), ("pscale_" + "tkn_", _URL, 43),
    ("sbp" + "_", _HEX, 40), ("AGE-SECRET-" + "KEY-1", _UPPER, 58), ("figd" + "_", _URL, 40),
    ("ATATT" + "3x", _URL, 180),
    ("bkua" + "_", _HEX, 40), ("CCIPAT" + "_", _WORD, 62), ("LTAI", _WORD, 20), ("AQVN", _URL, 36),
    ("aio" + "_", _WORD, 28),
    ("pnu" + "_", _WORD, 36), ("pul-", _HEX, 40), ("rdme" + "_", _WORD, 70), ("sgp" + "_", _HEX, 40),
    ("AKCp", _WORD, 69),
    ("EZAK", _WORD, 54), ("shippo_" + "live_", _HEX, 40), ("tfp" + "_", _URL, 59), ("CFPAT-", _URL, 43),
    ("dt0c01.", _UPPER, 88), ("duffel_" + "test_", _URL, 43), ("CLOJARS" + "_", _HEX, 60),
    ("rzp_" + "live_", _WORD, 24),
    ("xkeysib-", _HEX, 64), ("tskey-" + "auth-", _WORD, 40), ("pcsk" + "_", _WORD, 70), ("lsv2_" + "pt_", _HEX, 43),
    ("tvly-", _WORD, 32), ("nvapi-", _URL, 64), ("fw" + "_", _WORD, 24), ("re" + "_", _WORD, 32),
    ("sk.ey" + "J", _URL, 80),
    ("napi" + "_", _WORD, 64), ("rnd" + "_", _WORD, 28), ("key-", _HEX, 32), ("vcp" + "_", _WORD, 56),
    ("sb_" + "secret_", _URL, 31),
)  # fmt: skip
#: `{}` is a password or key of a person or a program; most forms come with several alphabets.
_SAID: tuple[tuple[str, str], ...] = tuple(
    (form, kind)
    for form, kinds in (
        ("export FOO_TOKEN={}", "hw"), ("password={}", "pw"), ("password: {}", "p"), ("DB_PASSWORD='{}'", "pw"),
        ('api_key = "{}"', "hw"), ('{{"apiKey": "{}", "region": "eu"}}', "hw"), ('"client_secret": "{}"', "hw"),
        ("AWS_SECRET_ACCESS_KEY={}", "w"), ("aws_secret_access_key = {}", "w"), ("secret_key_base: {}", "h"),
        ("SECRET_KEY = 'django-insecure-{}'", "w"), ("define('DB_PASSWORD', '{}');", "p"),
        ("PGPASSWORD={} psql -h db", "p"),
        ("Server=db;Database=a;User Id=sa;Password={};Encrypt=true", "p"), ("<password>{}</password>", "p"),
        ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}==;EndpointSuffix=core", "w"),
        ("Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}=", "w"),
        ("postgres://app:{}@db.internal:5432/app", "pw"), ("mongodb+srv://root:{}@cluster0.mongodb.net/x", "w"),
        ("redis://:{}@cache:6379/0", "w"), ("amqp://guest:{}@mq:5672/", "p"), ("mysql://root:{}@127.0.0.1/shop", "p"),
        ("https://oauth2:{}@gitlab.example.com/a/b.git", "w"), ("https://{}@github.com/a/b.git", "w"),
        ("curl -H 'Authorization: Bearer {}' https://api.internal/v1", "hw"), ("Authorization: Basic {}=", "w"),
        ("Authorization: token {}", "h"), ("X-Api-Key: {}", "hw"), ("Cookie: session={}; theme=dark", "hw"),
        ("Set-Cookie: sid={}; Path=/; HttpOnly", "w"), ("GET /v1/items?api_key={}&page=2", "hw"),
        ("https://files.example/a.pdf?sv=2022&sig={}%3D", "w"), ("https://app.example/cb#access_token={}", "w"),
        ("curl -u admin:{} https://ci.internal", "p"), ("sshpass -p '{}' ssh root@host", "p"),
        ("mysql -uroot -p{} shop", "p"),
        ("tool login --token {}", "hw"), ("machine api.internal login bob password {}", "p"),
        ("db.internal:5432:shop:bob:{}", "p"), ("My password is {}.", "p"),
        ("The passphrase for the vault is {}", "p"),
        ("//registry.npmjs.org/:_authToken={}", "w"), ('{{"auths": {{"ghcr.io": {{"auth": "{}=="}}}}}}', "w"),
        ("$env:DEPLOY_TOKEN = \"{}\"", "w"), ("set STRIPE_SECRET={}", "w"), ("token := \"{}\"", "h"),
        (":secret_key => '{}',", "h"), ("spring.datasource.password={}", "p"), ("wifi Passwort: {}", "p"),
        ('const secret = "{}";', "w"), ("ENCRYPTION_KEY={}", "h"),
        ("https://hooks.slack.com/services/T0AAA1/B0BBB2/{}", "w"),
        ("https://discord.com/api/webhooks/113355/{}", "w"), ("the bot uses 123456789:AA{}", "t"),
        ("access-token: {}", "h"),
        ("heroku config:set API_TOKEN={}", "h"), ("    password: '{}'  # staging", "p"), ("vault token: {}", "w"),
        ("git clone https://bob:{}@git.internal/a.git", "w"), ("kubectl create secret --password={}", "p"),
        ("ftp://up:{}@files.internal/in", "p"), ("ldap_bind_password = {}", "p"), ("Api-Key={}", "hw"),
        ("smtp://mail%40x.org:{}@smtp.internal:587", "w"), ("SigningKey: {}", "w"), ("master_key={}", "h"),
        ("jwt_secret = `{}`", "p"), ('\\"password\\": \\"{}\\"', "p"), ("--password={} --verbose", "p"),
    )
    for kind in kinds
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A text, and what must not be left of it."""

    text: str
    secret: str


def cases(seed: int = 16) -> list[Case]:
    """Return two hundred texts, other secrets for another seed."""
    chance = random.Random(seed)
    return list(_cases(chance))


def _cases(chance: random.Random) -> Iterator[Case]:
    def some(alphabet: str, count: int) -> str:
        return "".join(chance.choice(alphabet) for _ in range(count))

    made = {
        "h": lambda: some(_HEX, 40),
        "w": lambda: some(_WORD, 43),
        "t": lambda: some(_URL, 33),
        "p": lambda: (
            f"{chance.choice('KTMZ')}r{some('aeiou', 2)}9{some('!%*+', 1)}{some(_WORD, 6)}"
        ),
    }
    frames = (
        "{}",
        "Use {} for the deploy.",
        'key = "{}"',
        "The old one was `{}`, please rotate it",
    )
    for number, (prefix, alphabet, count) in enumerate(_ISSUED):
        secret = prefix + some(alphabet, count)
        yield Case(frames[number % len(frames)].format(secret), secret)
    for form, kind in _SAID:
        secret = made[kind]()
        yield Case(form.format(secret), secret)
    for name in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "):
        lines = "\n".join(some(_WORD + "+/", 64) for _ in range(12))
        begin, end = f"-----BEGIN {name}PRIVATE KEY-----", f"-----END {name}PRIVATE KEY-----"
        yield Case(f"here:\n{begin}\n{lines}\n{end}\nthanks", lines)
        yield Case(json.dumps({"pem": f"{begin}\n{lines}\n{end}\n"}), lines.split("\n")[3])
    cut = "\n".join(some(_WORD + "+/", 64) for _ in range(6))
    yield Case("-----BEGIN " + "PGP PRIVATE KEY BLOCK-----\n\n" + cut, cut)
    yield Case(f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 6\n{cut}\nPrivate-MAC: 1", cut)
    for claims in ({"sub": "1", "name": "Ana"}, {"iss": "x", "exp": 1}, {"scope": "all", "n": 7}):
        parts = [
            base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=")
            for one in ({"alg": "HS256", "typ": "JWT"}, claims)
        ]
        token = ".".join([*parts, some(_URL, 43)])
        yield Case(f"I got {token} back", token)
        yield Case(f"document.cookie = 'jwt={token}'", token)
    for prefix in ("AKIA", "ASIA"):
        secret = prefix + some("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
        yield Case(f"key id {secret}, region eu-west-1", secret)
    for secret in (
        "SK" + some(_HEX, 32),
        some(_HEX, 32) + "-us" + "12",
        some(_WORD, 3) + "8Q~" + some(_WORD, 34),
        "M" + some(_WORD, 23) + "." + some(_URL, 6) + "." + some(_URL, 38),
    ):
        yield Case(f"The bot on discord uses {secret} now", secret)
    words = "able acid also area army away baby back ball band bank base".split()
    yield Case("seed phrase: " + " ".join(words), " ".join(words))
