"""Secrets in a text are replaced before the text is stored: `[masked: GitHub token]` stands in their place.

Three kinds are known: tokens by the prefix that their issuer gives them, secrets by the form around them (private
keys, JWTs, passwords in addresses, headers), and values that a name calls secret (`password=`, `export FOO_TOKEN=`).
A run of letters and digits without any of these is left alone: hashes, ids and images are no secrets. What was found
in one place of a text is replaced in every other place of it, too, whatever stands around it there.

A pattern is tried only where a literal of it stands in the text, and none takes more than linear time: it begins with
that literal and repeats single classes, bounded wherever something follows. On one core of the build machine a
sentence takes 10 µs and a log 0.1 ms per kB.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_FORM = "[masked: {}]"

#: Tokens by their issuer's prefix, each kind with what follows it. A prefix that ordinary names begin with too (`pat`,
#: `re_`, `key-`) stands with the issuer's exact form, one of its own with `_LOOSE`.
#: Sources: the issuers' own documentation, as far as they announce a prefix for secret scanners.
_LOOSE = r"[A-Za-z0-9_.~+/=-]{12,}"
_ISSUERS: tuple[tuple[str, str, str], ...] = (
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", _LOOSE),
    (
        "GitLab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- GR1348941",
        _LOOSE,
    ),
    ("Anthropic key", "sk-ant-", _LOOSE),
    ("OpenRouter key", "sk-or-", _LOOSE),
    ("OpenAI key", "sk-proj- sk-svcacct- sk-admin-", _LOOSE),
    ("Langfuse key", "pk-lf- sk-lf-", r"[0-9a-f-]{36}"),
    ("OpenAI key", "sk-", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{20,64}"),
    (
        "Slack token",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxp- xapp-",
        _LOOSE,
    ),
    ("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[A-Za-z0-9+/=]{16,}"),
    ("Google key", "AIza", r"[\w-]{35}"),
    ("Google key", "ya29. GOCSPX-", _LOOSE),
    ("npm token", "npm_", r"[A-Za-z0-9]{36}"),
    ("PyPI token", "pypi-AgE", _LOOSE),
    ("RubyGems key", "rubygems_", r"[0-9a-f]{48}"),
    ("Docker token", "dckr_pat_ dckr_oat_", _LOOSE),
    ("Hugging Face token", "hf_ api_org_", r"[A-Za-z0-9]{34}"),
    ("Replicate token", "r8_", r"[A-Za-z0-9]{37}"),
    ("Groq key", "gsk_", r"[A-Za-z0-9]{52}"),
    ("xAI key", "xai-", r"[A-Za-z0-9]{80}"),
    ("Perplexity key", "pplx-", r"[A-Za-z0-9]{48,56}"),
    ("SendGrid key", "SG.", r"[\w.-]{66}"),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    ("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    ("Square token", "sq0atp- sq0csp-", r"[\w-]{22,43}"),
    ("Square token", "EAAAE", r"[\w-]{50,}"),
    ("Databricks token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    ("Dropbox token", "sl.B sl.u.", r"[\w-]{60,}"),
    ("Linear key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{40,64}"),
    ("Notion token", "ntn_ secret_", r"[A-Za-z0-9]{43,46}"),
    ("Postman key", "PMAK-", r"[0-9a-f-]{59}"),
    ("New Relic key", "NRAK- NRJS- NRII- NRAA-", _LOOSE),
    ("Grafana token", "glsa_", r"\w{41}"),
    ("Grafana token", "glc_", r"eyJ[A-Za-z0-9+/]{32,}={0,2}"),
    ("Vault token", "hvs. hvb. hvr.", r"[\w-]{24,}"),
    ("Heroku key", "HRKU-", r"[\w-]{36,60}"),
    ("Fly.io token", "fo1_", r"[\w-]{43}"),
    ("Fly.io token", "fm1r_ fm2_", r"[\w+/=-]{40,}"),
    ("Netlify token", "nfp_ nfc_", r"[A-Za-z0-9]{36,40}"),
    ("Vercel token", "vcp_ vci_ vca_ vcr_ vck_", r"[A-Za-z0-9]{56}"),
    ("Sentry token", "sntrys_ sntryu_", _LOOSE),
    (
        "Doppler token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}",
    ),
    ("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.-]{32,64}"),
    ("Supabase key", "sbp_", r"[0-9a-f]{40}"),
    ("Supabase key", "sb_secret_", r"[\w-]{31}"),
    ("age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}"),
    ("Figma token", "figd_ figo_", r"[\w-]{40,}"),
    ("Atlassian token", "ATATT3x ATCTT3x ATBB", _LOOSE),
    ("Buildkite token", "bkua_ bkaj_", r"[0-9a-f]{40}"),
    ("CircleCI token", "CCIPAT_ CCIPRJ_", r"\w{62,63}"),
    ("Alibaba Cloud key", "LTAI", r"[A-Za-z0-9]{16,22}"),
    ("Tencent Cloud key", "AKID", r"[A-Za-z0-9]{32}"),
    ("Yandex token", "AQVN", r"[\w-]{35,38}"),
    ("Yandex token", "y0_Ag t1.9eu", r"[\w.=-]{50,}"),
    ("Adafruit key", "aio_", r"[A-Za-z0-9]{28}"),
    ("1Password token", "ops_eyJ", _LOOSE),
    ("Infracost key", "ico-", r"[A-Za-z0-9]{32}"),
    ("Prefect key", "pnu_ pnb_", r"[A-Za-z0-9]{36}"),
    ("Pulumi token", "pul-", r"[0-9a-f]{40}"),
    ("ReadMe key", "rdme_", r"[A-Za-z0-9]{70}"),
    ("Sourcegraph token", "sgp_ slk_", r"(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40,64}"),
    ("Artifactory key", "AKCp", r"[A-Za-z0-9]{69}"),
    ("EasyPost key", "EZAK EZTK", r"[A-Za-z0-9]{54}"),
    ("Flutterwave key", "FLWSECK- FLWSECK_TEST-", _LOOSE),
    ("Shippo token", "shippo_live_ shippo_test_", r"[0-9a-f]{40}"),
    ("Typeform token", "tfp_", r"[\w-]{44,62}"),
    ("Contentful token", "CFPAT-", r"[\w-]{43}"),
    ("Dynatrace token", "dt0c01. dt0s01.", r"[A-Z0-9.]{88,89}"),
    ("Duffel token", "duffel_test_ duffel_live_", r"[\w-]{43}"),
    ("Clojars token", "CLOJARS_", r"[0-9a-f]{60}"),
    ("Razorpay key", "rzp_live_ rzp_test_", r"[A-Za-z0-9]{14,24}"),
    ("Brevo key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}(?:-[A-Za-z0-9]{16})?"),
    ("Tailscale key", "tskey-", _LOOSE),
    ("Airtable token", "pat", r"\w{14}\.\w{64}"),
    ("Plaid token", "access-sandbox- access-development- access-production-", r"[0-9a-f-]{36}"),
    ("Pinecone key", "pcsk_", r"\w{60,80}"),
    ("LangSmith key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f_]{43}"),
    ("Tavily key", "tvly-", _LOOSE),
    ("Firecrawl key", "fc-", r"[0-9a-f]{32}"),
    ("NVIDIA key", "nvapi-", r"[\w-]{64}"),
    ("Fireworks key", "fw_", r"[A-Za-z0-9]{22,24}"),
    ("Cerebras key", "csk-", r"[a-z0-9]{48}"),
    ("Resend key", "re_", r"(?:[A-Za-z0-9]{8}_[A-Za-z0-9]{24}|[A-Za-z0-9]{32})"),
    ("Mapbox token", "sk.eyJ", _LOOSE),
    ("Neon key", "napi_", r"[A-Za-z0-9]{64}"),
    ("Render key", "rnd_", r"[A-Za-z0-9]{28}"),
    ("Expo token", "expo_", r"[\w-]{40}"),
    ("Cloudflare token", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{146}"),
    ("Mailgun key", "key-", r"[0-9a-f]{32}"),
)
_ISSUED = tuple(
    (
        kind,
        tuple(beginnings.split()),
        re.compile(rf"(?:{'|'.join(map(re.escape, beginnings.split()))}){form}(?![\w-])"),
    )
    for kind, beginnings, form in _ISSUERS
)
_BEGINNINGS = tuple(one for _, beginnings, _ in _ISSUED for one in beginnings)

#: Names that call their value a secret, as they stand directly before `=` or `:`, whatever stands before them: those of
#: what people choose, and those of what programs make.
_PASSWORDS = ("password", "passwd", "passphrase", "passwort", "kennwort", "pwd")
_KEYS = (
    "secret", "token", "apikey", "api_key", "api-key", "api key", "accesskey", "access_key", "access-key", "accountkey",
    "privatekey", "private_key", "private-key", "authkey", "auth_key", "signing_key", "signing-key", "signingkey",
    "encryption_key", "encryptionkey", "credential", "secret_key", "masterkey", "master_key", "sharedaccesskey",
    "webhook_url", "client_key",
)  # fmt: skip
#: What may follow the name before the sign (`_base`, `Value`), and what makes it the name of something else: a
#: `tokenizer`, a number of `tokens`, a `token_type`, the place of a `secret_file`.
_AFTER_NAME = (
    r"(?!(?<=token)(?:s(?![A-Za-z])|i[sz])|[\w-]{0,24}?(?:expir(?:es?|y|ation)|expires?[-_]?(?:in|at|on)|[-_]at|At|ttl|lifetime"
    r"|timeout|file|filename|path|dir|folder|ur[il]|name|types?|counts?|limit|length|len|size|policy|prefix|suffix|field"
    r"|column|env|header|hint|age|format|algorithm|alg|version|manager|provider|endpoint|usage|budget|rate|cost|price"
    r"|index|label|title|description|required|enabled|kind|status|scopes?|source|arn|(?:(?<!secret)[-_]|(?<=token))id"
    r"|ref|rules?|test|spec|bucket|store|rotation|refresh|strength|attempts)(?![\w-]))[\w-]{0,24}"
)
_SIGN = r"""\\?["'`\]]{0,2}\s{0,3}(?:=>|:=|[=:]|,(?=\s{0,3}["']))\s{0,3}"""
_QUOTED = (
    r"""(?:\\?"(?P<double>[^"\\\n]{1,512})|'(?P<single>[^'\n]{1,512})|`(?P<back>[^`\n]{1,512}))"""
)
#: A call such as `sha256(data)` is no value.
_NO_CALL = r"(?-i:(?![a-z_]{1,40}\d{1,3}[a-z_]{0,40}\())"
_BARE = rf"""{_NO_CALL}(?P<bare>[^\s"'`,;<>{{}}()\[\]|&\\][^\s"'`,;<>{{}}()\[\]|\\&]{{0,511}})"""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and of which kinds they were, each once and in their order."""

    text: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern whose group `secret` is replaced where `is_secret` agrees.

    It is tried where a needle begins; with `anywhere`, in the whole text that holds a needle. A needle in lower case is
    found however the text is written, another one only as it is.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool]
    anywhere: bool = False


def mask(text: str) -> Masked:
    """Return the text with every known kind of secret replaced; doing it again changes nothing."""
    kinds: dict[str, None] = {}
    known: dict[str, str] = {}
    lower = _lower(text)
    for needle, is_lower, rule in _NEEDLES:
        if needle in (lower if is_lower else text):
            text = _applied(rule, needle, text, lower, known)
            lower = _lower(text) if len(text) != len(lower) else lower
    kinds.update(dict.fromkeys(known.values()))
    for secret, kind in known.items():
        if len(secret) >= _LEAST_KNOWN and secret in text:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", _FORM.format(kind), text)
    if _RUN.search(text):
        text = _RUN.sub(lambda run: _token(run[0], kinds), text)
    return Masked(text, tuple(kinds))


def _lower(text: str) -> str:
    """Return the text in lower case with every character in its place; `\u0130` alone becomes two."""
    return text.replace("\u0130", "i").lower()


def _applied(rule: _Rule, needle: str, text: str, lower: str, known: dict[str, str]) -> str:
    """Return the text without what a rule finds, and add that to the secrets that are `known`, with its kind."""
    kept: list[str] = []
    done = 0
    for found in _matches(rule, needle, text, lower):
        group = found.lastgroup or "secret"
        secret = found[group]
        begin = found.start(group)
        if begin < done or "[masked:" in secret or not rule.is_secret(secret):
            continue
        known.setdefault(secret, rule.kind)
        kept += [text[done:begin], _FORM.format(rule.kind)]
        done = found.end(group)
    return "".join([*kept, text[done:]])


def _matches(rule: _Rule, needle: str, text: str, lower: str) -> Iterator[re.Match[str]]:
    if rule.anywhere:
        yield from rule.pattern.finditer(text)
        return
    searched = lower if needle == needle.lower() else text
    begin, done = searched.find(needle), 0
    while begin >= 0:
        found = rule.pattern.match(text, begin) if begin >= done else None
        if found is not None:
            yield found
            done = found.end()
        begin = searched.find(needle, begin + len(needle))


def _token(run: str, kinds: dict[str, None]) -> str:
    """Return a run with the token of an issuer replaced that it begins with."""
    if not run.startswith(_BEGINNINGS):
        return run
    for kind, beginnings, form in _ISSUED:
        found = form.match(run) if run.startswith(beginnings) else None
        if found is None:
            continue
        token = found[0].rstrip(".")
        if _looks_random(token) or (_LOOSE not in form.pattern and _varies(token)):
            kinds[kind] = None
            return _FORM.format(kind) + run[len(token) :]
    return run


def _looks_random(found: str) -> bool:
    """Return whether a run is no name, no placeholder and no repetition."""
    return any(c.isdigit() for c in found) and _varies(found)


def _varies(found: str) -> bool:
    """Return whether a run has as many kinds of characters, and changes between them, as a random one.

    In random letters and digits two of five places are changes; names have few: `v2`, `o200k`, `2026-11-22T10`.
    """
    if len(set(found)) < 8 or _PLACEHOLDER.search(found):
        return False
    return len(_CHANGE.findall(found)) >= max(4, len(found) // 8)


def _is_given(found: str) -> bool:
    """Return whether the value of a secret name is one, and not a word of a program, a type or a placeholder."""
    if len(found) < 6 or len(set(found)) < 4 or _PLACEHOLDER.search(found) or _CODE.search(found):
        return False
    if _ORDINARY.search(found) and not any(map(_looks_random, found.split())):
        return False
    is_mixed = any(c.isdigit() for c in found) and any(c.isalpha() for c in found)
    return is_mixed or any(c in "!@#$%^&*+~?=/" for c in found[1:]) or len(found) >= 24


def _is_key(found: str) -> bool:
    """Return whether the value of a name is a secret that a program made, and not the name of one."""
    return _is_given(found) and (not _NAME.search(found) or _looks_random(found))


def _is_password(found: str) -> bool:
    """Return whether what stands where a password stands is no variable of a template."""
    return not (_TEMPLATE.search(found) or set(found) <= set("*x.X"))


#: A shorter secret may be an ordinary word in another place.
_LEAST_KNOWN = 8
#: What stands for a secret in documentation.
_PLACEHOLDER = re.compile(
    r"(?i)\.{3}|…|\*{3}|x{4}|<|^\$|\$\{|\{\{|%\w+%|your|example|placeholder|change[-_ ]?me|redacted|masked|dummy|insert"
    r"|sample|todo|^(?:none|null|true|false|undefined|string|str|int|bool|optional|required|process|self|this|os|env)\b"
    r"|012345|1234567|abcdef"
)
#: Where digits, small and capital letters meet inside a word; a capital first letter counts for nothing.
_CHANGE = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[0-9]|(?<=[0-9])[A-Za-z]")
_TEMPLATE = re.compile(r"^\$|^<|^\{|^%|\.{3}|…|\$\{|\{\{|^\[")
#: An expression of a program: a call, an attribute, a path, words joined by dots or lines, or words of prose.
_CODE = re.compile(
    r"""[()\[\]{}]|^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$|^[a-z]+(?:[-_ ][a-z]+)*\d?$|^[A-Z]+(?:_[A-Z]+)*$|::|==."""
    r"""|^/[\w./-]*$|^[a-z+]+://[^:@?]*(?::\d+)?[^:@?]*$|^[A-Za-z]+(?: [A-Za-z,'.-]+)+$|^\d+(?:\.\d+)*[a-z%]{0,3}$"""
    r"""|^[A-Za-z]+$|^[a-z]+(?:[A-Z][a-z]*)+\d?$|->|^@|[\w)][!?]\.\w|^[A-Za-z_]\w*[!?]\.$|^(?:id|src|type|source)="""
)
#: What is no secret unless it looks random: paths, dates, versions, numbers with units, names of variables, prose.
_ORDINARY = re.compile(
    r"""^~?\.{0,2}/|^[A-Za-z]:[\\/]|^arn:|^[\w.-]+/[\w./@:#-]+$"""
    r"""|^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$|^v?\d+(?:\.\d+)+(?:[-+.][\w.]+)*$"""
    r"""|^[\d:.,/%+-]+$|^[<>=~^]*\d[\d.,_]*[A-Za-z%]{0,4}(?:[/+x-]\d*[\d.,_]*[A-Za-z%]{0,6})?$"""
    r"""|^(?:\d+(?:ms|[smhdw])){1,4}$|^[A-Z]{2,}(?:_[A-Z]{2,})+(?:_\d{1,3})?$|^\S+(?: \S+){2,}$"""
)
#: Names of a key, a file or a model in the place of a key: three or more parts, a known ending, a number inside. People
#: choose passwords like these.
_NAME = re.compile(
    r"""^[A-Za-z]+\d{0,3}(?:[-_.](?:[A-Za-z]+\d{0,3}|v?\d{1,4})){2,}$|^\d+(?:-[a-z]+)+$|^[a-z]+\d{1,4}[a-z]?_[a-z]+$"""
    r"""|\.(?:py|pyi|js|ts|tsx|jsx|mjs|json|ya?ml|toml|ini|cfg|conf|env|txt|md|rst|pem|key|crt|cer|p12|pfx|jks|sh|sql"""
    r"""|log|csv|html?|xml|lock|go|rs|rb|java|kt|c|cc|h|whl|gz|zip|tgz|db)(?::\d+)*$"""
)


def _always(_found: str) -> bool:
    return True


def _rule(
    kind: str,
    needles: str,
    pattern: str,
    is_secret: Callable[[str], bool] = _always,
    *,
    anywhere: bool = False,
) -> _Rule:
    return _Rule(kind, tuple(needles.split("|")), re.compile(pattern), is_secret, anywhere)


def _named(names: tuple[str, ...], is_secret: Callable[[str], bool]) -> _Rule:
    longest_first = "|".join(sorted(names, key=len, reverse=True))
    pattern = rf"(?i)(?:{longest_first}){_AFTER_NAME}{_SIGN}(?:{_QUOTED}|{_BARE})"
    return _rule("password or key", "|".join(names), pattern, is_secret)


_PASSWORD_WORDS = "password|passphrase|passcode|passwort|kennwort"
#: What a secret that a sentence tells is for.
_OF_WHAT = r"(?: (?:for|of|on|to|from|von|vom|für|zu|zum|zur) [\w .@-]{1,40}?)?"
_OPTIONS = (
    "--password|--passwd|--pass|--passphrase|--token|--api-key|--secret|--auth-token|-password"
)
_IN_ADDRESS = (
    "sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token"
    "|key|subscription-key|auth|code|sid|session|access"
)
_RULES = (
    _rule(
        "private key",
        "-----BEGIN ",
        r"(?P<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]|-(?!----)){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\s|\\n|\\r){1,4}[A-Za-z0-9+/=]{16,80}(?![A-Za-z0-9+/=])){0,400}))",
    ),
    _rule(
        "private key",
        "private-lines:",
        r"(?i)private-lines: ?\d{1,3}\s{1,2}(?P<secret>(?:[A-Za-z0-9+/=]{1,80}\s{1,2}){1,200})",
    ),
    _rule(
        "JSON web token",
        "eyJ",
        r"(?<![A-Za-z0-9_.-])(?P<secret>eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,16384}\.[A-Za-z0-9_.-]{0,8192})",
    ),
    _rule(
        "password",
        "://",
        r"://[^\s:/@\"'<>]{0,128}:(?P<secret>[^\s/@\"'<>]{1,256})@",
        _is_password,
    ),
    _rule("token", "://", r"://(?P<secret>[A-Za-z0-9_.~-]{20,256})@", _looks_random),
    _rule(
        "webhook address",
        "hooks.slack.com/|discord.com/api/webhooks/|discordapp.com/api/webhooks/|webhook.office.com/",
        r"(?i)(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/"
        r"|webhook\.office\.com/webhookb2/)(?P<secret>[\w./@-]{20,300})",
    ),
    _rule(
        "token",
        "bearer|token|basic|apikey|digest",
        r"(?i)[a-z]{5,6}[ \t]{1,3}(?P<secret>[A-Za-z0-9_.~+/-]{16,4096}={0,2})",
        _looks_random,
    ),
    _rule(
        "token",
        "authorization",
        r"(?i)authorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?:basic|bearer|token|digest|apikey)\s{1,2}"
        r"(?P<secret>[A-Za-z0-9_.~+/-]{8,4096}={0,2})",
        _is_given,
    ),
    _rule(
        "cookie",
        "cookie:",
        r"(?i)cookie:[ \t]{0,3}(?P<secret>[\w.%-]{1,128}=[^\s;\"']{8,4096}"
        r"(?:;[ \t]?[\w.%-]{1,128}=[^\s;\"']{1,4096}){0,64})",
        lambda found: not _TEMPLATE.search(found.partition("=")[2]),
    ),
    _rule(
        "AWS access key",
        "AKIA|ASIA|ABIA|ACCA",
        r"(?<![A-Za-z0-9])(?P<secret>A[KSBC]IA[A-Z2-7]{16}|ACCA[A-Z2-7]{16})(?![A-Za-z0-9])",
        lambda found: "EXAMPLE" not in found,
    ),
    _rule(
        "Telegram token",
        ":AA",
        r"(?<!\d)(?P<secret>\d{8,10}:AA[A-Za-z0-9_-]{32,34})(?![A-Za-z0-9_-])",
        anywhere=True,
    ),
    _rule(
        "Discord token",
        "discord",
        r"(?<![A-Za-z0-9_.-])(?P<secret>[MNO][A-Za-z0-9_-]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})",
        anywhere=True,
    ),
    _rule("Twilio key", "SK", r"(?<![A-Za-z0-9_])(?P<secret>SK[0-9a-f]{32})(?![0-9A-Za-z])"),
    _rule("Google token", "1//0", r"(?<![\w/])(?P<secret>1//0[A-Za-z0-9_-]{30,200})"),
    _rule(
        "Mailchimp key",
        "|".join(f"-us{digit}" for digit in range(1, 10)),
        r"(?<![0-9A-Za-z])(?P<secret>[0-9a-f]{32}-us\d{1,2})(?![0-9A-Za-z])",
        anywhere=True,
    ),
    _rule(
        "Azure secret",
        "Q~",
        r"(?<![\w.~-])(?P<secret>[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34})(?![\w.~-])",
        anywhere=True,
    ),
    _rule(
        "token",
        "=",
        rf"(?i)[?&#;](?:{_IN_ADDRESS})=(?P<secret>[A-Za-z0-9_%.~+/-]{{16,4096}}={{0,2}})",
        _looks_random,
        anywhere=True,
    ),
    _rule(
        "password",
        "-u |-u=|--user |--user=|--proxy-user ",
        r"""-{1,2}(?:u|user|proxy-user)[ =]["']?[\w.@-]{1,64}:(?P<secret>[^\s"'<>|;]{4,512})""",
        _is_given,
    ),
    _rule(
        "password",
        "sshpass|mysql|mongo|redis-cli|docker login",
        r"""(?i)[a-z -]{5,14}\b[^\n|;&]{0,120}?\s(?:-p|-a|--pass)[ =]?["']?"""
        r"""(?P<secret>[^\s"'<>|;-][^\s"'<>|;]{3,512})""",
        _is_given,
    ),
    _rule(
        "password",
        _OPTIONS,
        r"""(?i)--?[a-z-]{4,12}[ =]["']?(?P<secret>[^\s"'<>|;-][^\s"'<>|;]{3,512})""",
        _is_given,
    ),
    _rule(
        "password",
        "login ",
        r"(?i)login\s{1,3}\S{1,128}\s{1,3}password\s{1,3}(?P<secret>\S{4,256})",
        _is_given,
    ),
    _rule(
        "password",
        ":5432:|:3306:|:*:",
        r"(?m)^[\w.*-]{1,255}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:(?P<secret>\S{4,256})$",
        _is_password,
        anywhere=True,
    ),
    _rule(
        "password",
        _PASSWORD_WORDS,
        rf"""(?i)[a-z]{{8,10}}{_OF_WHAT} (?:is|was|ist|war|lautet|to)(?: now)?:? ["'`]?"""
        r"""(?P<secret>[^\s"'`,;<>()]{6,256})""",
        lambda found: _is_given(found.rstrip(".!?:")),
    ),
    _rule(
        "token",
        "token|api key|api-key|access key|secret key|api-schlüssel",
        rf"""(?i)(?:token|api.(?:key|schlüssel)|(?:access|secret) key){_OF_WHAT}"""
        r"""(?: (?:is|was|ist|lautet)(?: now)?)?:? ["'`]?"""
        r"""(?P<secret>[A-Za-z0-9_.~+/=-]{16,512})""",
        # What an issuer made is named by its issuer.
        lambda found: _looks_random(found) and _token(found, {}) == found,
    ),
    _rule(
        "password",
        "password>|passwd>|secret>|token>|apikey>",
        r"(?i)[a-z]{5,8}>(?P<secret>[^<>\s]{4,512})</",
        _is_given,
    ),
    _rule(
        "registry password",
        '"auth"',
        r'(?i)"auth"\s{0,3}:\s{0,3}"(?P<secret>[A-Za-z0-9+/]{12,1024}={0,2})"',
        _looks_random,
    ),
    _rule(
        "recovery phrase",
        "seed phrase|recovery phrase|mnemonic",
        r"(?i)(?:seed phrase|recovery phrase|mnemonic)[^\n:=]{0,20}[:=]\s{0,2}[\"']?"
        r"(?P<secret>[a-z]{3,8}(?: [a-z]{3,8}){11,23})\b",
    ),
    _named(_PASSWORDS, _is_given),
    _named(_KEYS, _is_key),
)
_NEEDLES = tuple((one, one == one.lower(), rule) for rule in _RULES for one in rule.needles)
#: What a token of an issuer can stand in; a shorter run is none.
_RUN = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z][A-Za-z0-9_.-]{19,511}[A-Za-z0-9_.~+/=-]{0,512}")
