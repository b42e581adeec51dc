"""Redact possible secrets from texts that people will see (CP-2).

Deliberately wide: losing a harmless word costs less than storing a key. `logs.py` masks more narrowly, because its
lines contain IDs and paths that must remain. Pure.
"""

import re

REDACTED = "[REDACTED]"

#: Words that announce a secret; names such as OPENAI_API_KEY or `db-password` end in one.
_WORD = (
    r"(?:sk|pk|api[ _-]?key|access[ _-]?key|token|secret|passwd|password|passphrase|credentials?)"
)
_BEARER = re.compile(r"(?i)\b(bearer\s{1,3})[\w.~+/=-]{8,}")
_SHAPED = re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|xox[abprs]|glpat|AKIA)[-_]?[\w-]{12,}")
_NAMED = re.compile(
    rf"""(?i)((?:\b|_){_WORD}["']?(?:\s{{0,3}}[=:]\s{{0,3}}|\s{{1,3}})["']?)(?!\[REDACTED\])[^\s"']{{8,}}"""
)
#: `$NAME=value`, and variables with key names, however short the value is.
_VARIABLE = re.compile(
    r"(\$[A-Za-z_]\w*=|\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)\s?=\s?)(?!\[REDACTED\])\S+"
)
#: A long run, unless labelled as the hash of a commit or a content.
_RUN = re.compile(
    r"(?i)(\b(?:commit|sha|sha1|sha256|hash|revision|digest)\W{1,3}(?:[0-9a-f]{64}|[0-9a-f]{40})\b)"
    r"|[A-Za-z0-9+/]{32,}={0,2}"
)


def redact(text: str) -> str:
    """Return the text with possible secrets replaced by `[REDACTED]`; idempotent."""
    text = _BEARER.sub(rf"\1{REDACTED}", text)
    text = _SHAPED.sub(REDACTED, text)
    text = _VARIABLE.sub(rf"\1{REDACTED}", text)
    text = _NAMED.sub(rf"\1{REDACTED}", text)
    return _RUN.sub(lambda found: found[1] or REDACTED, text)
