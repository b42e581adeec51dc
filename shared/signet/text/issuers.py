"""Recognize tokens by an issuer's prefix or mark and its documented format. Pure.

Source: issuers' documentation for secret scanners. Prefixes that also begin ordinary names (`pat`, `re_`, `key-`)
have an exact body; unique prefixes have `*`.
"""

import re
from collections.abc import Iterator
from itertools import groupby

from signet.text import patterns
from signet.text.values import has_sequence, is_sample, varies

#: Kind, prefixes, body. `*` is any body, `{w36}` 36 characters of an alphabet, others are expressions.
_PREFIXED = r"""
GitHub token: ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ *;
GitLab token: glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- *;
GitLab token: glagent- glsoat- glffct- glwt- GR1348941 *; Bitbucket token: BBDC- [\w+/@-]{40,60};
Atlassian token: ATATT3x ATCTT3x ATBB ATSTT3x ATOAK3x *; npm token: npm_ {w36}; PyPI token: pypi-AgE *;
RubyGems key: rubygems_ {h48}; NuGet key: oy2 {l43}; crates.io token: cio {w32};
Packagist token: packagist_ort_ packagist_uut_ packagist_ust_ {h68}; Clojars token: CLOJARS_ {h60};
Docker token: dckr_pat_ dckr_oat_ *; Artifactory key: AKCp {w69}; Artifactory key: cmVmd {w59};
Buildkite token: bkua_ bkaj_ bkct_ {h40}; CircleCI token: CCIPAT_ CCIPRJ_ {v62,63};
Harness token: pat. sat. {u22}\.{h24}\.{w20}; Octopus key: API- {U26,32}; Sonar token: squ_ sqp_ sqa_ sqb_ {h40};
Sourcegraph token: sgp_ slk_ sgd_ (?:(?:{h16}|local)_)?{h40,64}; Prefect key: pnu_ pnb_ {w36};
Pulumi token: pul- {h40}; Infracost key: ico- {w32}; Expo token: expo_ {u40};
Defined Networking token: dnkey- {u26,}; Anthropic key: sk-ant- *; OpenRouter key: sk-or- *;
Langfuse key: pk-lf- sk-lf- {uuid}; OpenAI key: sk-proj- sk-svcacct- sk-admin- sk-None- *; OpenAI key: sess- {w40};
OpenAI key: sk- (?=[A-Za-z]*\d){w20,64}; Google key: AIza {u35}; Google key: AQ.Ab {u30,};
Google key: ya29. GOCSPX- *; Google token: 1//0 {u30,200}; Hugging Face token: hf_ api_org_ {w34};
Replicate token: r8_ {w37}; Groq key: gsk_ {w52}; xAI key: xai- {w80}; Perplexity key: pplx- {w48,56};
Voyage key: pa- {u43}; Together key: tgp_v1_ {u43}; ElevenLabs key: sk_ {h48}; Jina key: jina_ {u55,65};
Fireworks key: fw_ {w22,24}; Cerebras key: csk- {l48}; NVIDIA key: nvapi- {u64}; Pinecone key: pcsk_ {v60,80};
LangSmith key: lsv2_pt_ lsv2_sk_ ls__ [0-9a-f_]{32,43}; Tavily key: tvly- *; Firecrawl key: fc- {h32};
E2B key: e2b_ {h40}; Browserbase key: bb_live_ {u27}; Modal token: ak- as- {w22}; Anyscale key: esecret_ {l26};
Weights & Biases key: wandb_v1_ {v60,}; AWS key: ABSKQmVkcm9ja0FQSUtleS bedrock-api-key- *;
AWS session token: FwoGZXIvYXdzE IQoJb3JpZ2lu [A-Za-z0-9+/=]{100,}+; AWS key: amzn.mws. {uuid};
AWS key: amzn1.oa2-cs.v1. {h64}; Alibaba Cloud key: LTAI {w16,22}; Tencent Cloud key: AKID {w32};
DigitalOcean token: dop_v1_ doo_v1_ dor_v1_ {h64}; Heroku key: HRKU- {u36,60}; Fly.io token: fo1_ {u43};
Fly.io token: fm1a_ fm1r_ fm2_ [\w+/=-]{40,}+; Netlify token: nfp_ nfc_ nfo_ nfu_ nfb_ {w36,40};
Vercel token: vcp_ vci_ vca_ vcr_ vck_ {w56}; Cloudflare token: cfk_ cfut_ cfat_ {w40,56};
Cloudflare token: v1.0- {h24}-{h146}; Render key: rnd_ {w28}; Scalingo token: tk-us- {u48}; Tailscale key: tskey- *;
Vault token: hvs. hvb. hvr. {u24,}; OpenShift token: sha256~ {u43};
Doppler token: dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. (?:[a-z0-9_-]{2,35}\.)?{w40,44};
1Password token: ops_eyJ *; 1Password key: A3- {U6}-(?:{U11}|{U6}-{U5})(?:-{U5}){3}; age key: AGE-SECRET-KEY-1 {U58};
Nostr key: nsec1 {l58}; wallet key: xprv yprv zprv tprv [1-9A-HJ-NP-Za-km-z]{107};
Databricks token: dapi dose dkea {h32}(?:-\d)?; dbt token: dbtc_ dbts_ dbtu_ {u36,};
PlanetScale token: pscale_tkn_ pscale_pw_ pscale_oauth_ [\w.-]{32,64}; Supabase key: sbp_ (?:oauth_|v0_)?{h40};
Supabase key: sb_secret_ {u31}; Neon key: napi_ {w64}; Aiven secret: AVNS_ {u19}; MongoDB secret: mdb_sa_sk_ {u40};
ClickHouse key: 4b1d {w38}; Confluent secret: cflt {b60}; Grafana token: glsa_ {v41};
Grafana token: glc_ eyJ{b32,}={0,2}; Grafana token: eyJrIjoi {b60,}={0,2};
New Relic key: NRAK- NRJS- NRII- NRAA- NRIQ- NRRA- NRSP- *; Sentry token: sntrys_ sntryu_ sntrya_ sntryi_ *;
Dynatrace token: dt0c01. dt0s01. dt0s16. [A-Z0-9.]{88,89}; Honeycomb key: hcaik_ hcxik_ hcamk_ hcxmk_ hcalk_ {l58};
Axiom token: xaat- xapt- {uuid}; PostHog key: phx_ phs_ {w40,60}; LaunchDarkly key: sdk- api- mob- {uuid};
Slack token: xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxp- xoxe.xoxb- xapp- xwfp- *;
SendGrid key: SG. [\w.-]{66}; Brevo key: xkeysib- xsmtpsib- {h64}(?:-{w16})?; Mailgun key: key- {h32};
Mandrill key: md- {u22}; MailerSend key: mlsn. {h64}; Resend key: re_ (?:{w8}_{w24}|{w32}); Twilio key: SK {h32};
Intercom token: dG9rO {b40,}={0,2};
Stripe key: sk_live_ sk_test_ rk_live_ rk_test_ sk_org_live_ sk_org_test_ whsec_ [A-Za-z0-9+/=]{16,}+;
Square token: sq0atp- sq0csp- {u22,43}; Square token: EAAAE EAAAl {u50,};
PayPal token: access_token$production$ access_token$sandbox$ [0-9a-z]{16}\${h32};
Plaid token: access-sandbox- access-development- access-production- {uuid};
Paddle key: pdl_live_apikey_ pdl_sdbx_apikey_ pdl_ntfset_ {v40,};
Polar token: polar_oat_ polar_pat_ polar_at_u_ polar_whs_ {w30,60}; EasyPost key: EZAK EZTK {w54};
Flutterwave key: FLWSECK- FLWSECK_TEST- *; Razorpay key: rzp_live_ rzp_test_ {w14,24};
Mollie key: live_ test_ (?:{w30}|{h35}); Shippo token: shippo_live_ shippo_test_ {h40};
Duffel token: duffel_test_ duffel_live_ {u43};
Shopify token: shpat_ shpca_ shppa_ shpss_ shptka_ shpua_ [0-9a-fA-F]{32};
Linear key: lin_api_ lin_oauth_ lin_wh_ {w40,64}; Notion token: ntn_ secret_ {w43,46};
Airtable token: pat {v14}\.{v64}; HubSpot token: pat-na1- pat-na2- pat-na3- pat-eu1- pat-ap1- {uuid};
Asana token: 1/ 2/ {d12,17}(?:/{d12,17})?:{h32}; ClickUp token: pk_ {d6,10}_{U32};
Figma token: figd_ figo_ figu_ figoh_ figor_ {u40,}; Dropbox token: sl.B sl.u. {u60,}; Typeform token: tfp_ {u44,62};
Contentful token: CFPAT- {u43}; Sanity token: sk (?<![/+]sk){w80,180}; Postman key: PMAK- [0-9a-f-]{59};
Postman key: PMAT- {U26}; ReadMe key: rdme_ {w70}; Frame.io token: fio-u- [\w=-]{64}; Yandex token: AQVN {u35,38};
Yandex token: y0_Ag t1.9eu [\w.=-]{50,}+; Yandex key: YC {u38}; Adafruit key: aio_ {w28}; Adobe secret: p8e- {w32};
Mapbox token: sk.eyJ *; Salesforce token: 00D {w12,15}![\w.]{60,130}; Facebook token: EAA (?<![/+]EAA){w90,};
Twitter token: AAAAAAAAAAAAAAAAAAAAA (?={w0,60}[%=])[A-Za-z0-9%+/=]{50,}+; LinkedIn secret: WPL_AP1. [\w.=+/]{16,}+;
Twitch token: oauth: {l30}; JSON web token: eyJ {u8,8192}\.{u8,16384}\.[\w.-]{0,8192};
private key: LS0tLS1CRUdJTi (?:BSU0|BQUklW|BFQy|BPUEV|BFTkN|BEU0E|BQR1){b40,}={0,2};
AWS access key: AKIA ASIA ABIA ACCA {a16}; Firebase key: AAAA {u7}:APA91b{u30,}; ngrok token: 2 {w26}_{w20,30};
password hash: pbkdf2_sha256$ pbkdf2_sha1$ pbkdf2_sha512$ argon2$ bcrypt_sha256$ [\w./$=,+-]{20,}+;
password hash: pbkdf2:sha256: pbkdf2:sha512: scrypt: [\d:]{1,20}\$[\w./$=,+-]{20,}+;
password hash: SCRAM-SHA-1$ SCRAM-SHA-256$ SCRAM-SHA-512$ [\w+/=:$]{20,}+
"""
_ALPHABETS = {
    "w": "[A-Za-z0-9]", "h": "[0-9a-f]", "u": r"[\w-]", "v": r"\w", "b": "[A-Za-z0-9+/]", "U": "[A-Z0-9]",
    "l": "[a-z0-9]", "a": "[A-Z2-7]", "d": r"\d",
}  # fmt: skip
#: Kind and expression of tokens with a mark inside, and of addresses, whose group is the secret.
_MARKED: tuple[tuple[str, str], ...] = (
    ("Telegram token", r"\d{8,10}:AA[\w-]{32,34}(?![\w-])"),
    ("Discord token", r"[MNO][\w-]{22,26}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])"),
    ("Mailchimp key", r"[0-9a-f]{32}-us\d{1,2}(?![\w-])"),
    ("Mailgun key", r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])"),
    ("New Relic key", r"[0-9a-fux]{30,42}(?:FFFF)?NRAL(?![\w-])"),
    ("Azure secret", r"[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])"),
    ("Azure DevOps token", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![\w-])"),
    ("Azure key", r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}(?![\w-])"),
    (
        "Azure key",
        r"[A-Za-z0-9+/]{33,80}(?:\+A(?:St|Rm|MC|Eh|Ba)|Az(?:Fu|Se|Ca)|ACDb|AIoT)[\w+/]{6}={0,2}(?![\w+/])",
    ),
    ("Terraform token", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}"),
    ("RapidAPI key", r"[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{5}jsn[0-9a-f]{12}(?![\w-])"),
    ("MaxMind key", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![\w-])"),
    ("password hash", r"[0-9A-Fa-f]{32}:[0-9A-Fa-f]{32}(?=:::)"),
    ("webhook address", r"[\w-]{0,63}\.?webhook\.office\.com/webhookb2/([\w./@-]{20,})"),
    ("webhook address", r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{20,})"),
    ("webhook address", r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(\d{5,20}/[\w-]{20,})"),
    ("webhook address", r"hooks\.zapier\.com/hooks/catch/(\d{3,12}/\w{5,})"),
)

#: Alphabets that names do not use.
_NAMELESS = ("[0-9a-f", "[A-Z2-7]")


def _body(short: str) -> str:
    if short == "*":
        return r"[\w.~+/=-]{12,}+"
    full = short.replace("{uuid}", "{h8}(?:-{h4}){3}-{h12}")
    full = re.sub(
        r"\{([a-zA-Z])(\d+(?:,\d*)?)\}",
        lambda found: _ALPHABETS[found[1]] + f"{{{found[2]}}}",
        full,
    )
    return full.replace(",}", ",}+").replace("++", "+")


def _forms() -> Iterator[tuple[str, bool, str, str]]:
    """Yield kind, whether a name can look like it, first character and the rest of each expression."""
    for row in _PREFIXED.replace("\n", " ").split("; "):
        kind, _, rest = row.strip().partition(": ")
        *prefixes, short = rest.split()
        body = _body(short)
        is_like_names = not any(alphabet in body for alphabet in _NAMELESS)
        for prefix in prefixes:
            yield kind, is_like_names, prefix[0], f"{re.escape(prefix[1:])}{body}(?![\\w-])()"
    for kind, form in _MARKED:
        yield kind, False, "", form if kind == "webhook address" else f"{form}()"


#: Expressions by first character, so that most are never tried; those that begin with a class are last.
_FORMS = sorted(_forms(), key=lambda form: (not form[2], form[2]))
_BY_FIRST = "|".join(
    (re.escape(first) or r"(?=[\w.~-]{5})") + f"(?:{'|'.join(rest for *_, rest in forms)})"
    for first, forms in groupby(_FORMS, key=lambda form: form[2])
)
#: A token begins at a word boundary and has at least twenty characters. Its expression's last group is the secret, or
#: empty if the whole match is.
_TOKEN = patterns.lazy(rf"\b(?<!-)(?=[\w.~+/=:$!|@-]{{20}})(?:{_BY_FIRST})", re.ASCII)


#: Characters per piece of a long text: a list of all its words would take eight times its memory.
_PIECE = 262_144
_BLANK = patterns.lazy(r"\s")


def tokens(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each token of a known issuer."""
    end = 0
    while (start := end) < len(text):
        blank = _BLANK.search(text, start + _PIECE)
        end = blank.start() if blank else len(text)
        # Most texts have no token, and checking only their long words is faster.
        if _TOKEN.search(" ".join([one for one in text[start:end].split() if len(one) >= 20])):
            yield from _tokens(text, start, end)


def _tokens(text: str, first: int, last: int) -> Iterator[tuple[int, int, str]]:
    # Long logs repeat tokens.
    judged: dict[tuple[str, bool], bool] = {}
    for found in _TOKEN.finditer(text, first, last):
        number = found.lastindex or 0
        kind, is_like_names, *_ = _FORMS[number - 1]
        start, end = found.span(number) if found[number] else found.span()
        token = text[start:end].rstrip(".")
        if (key := (token, is_like_names)) not in judged:
            judged[key] = _is_token(*key)
        if judged[key]:
            yield start, start + len(token), kind


def _is_token(token: str, is_like_names: bool) -> bool:
    if has_sequence(token) or not is_like_names:
        return len(set(token)) >= 8 and not is_sample(token)
    return varies(token, least=3)
