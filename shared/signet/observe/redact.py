"""What is taken out of a text before it is kept where people look: whatever may be a secret (CP-2).

Wide on purpose: a harmless word lost costs less than a key kept. `logs.py` masks more narrowly, because its lines
carry ids and paths that must stay. Pure.
"""

import re

REDACTED = "[REDACTED]"

#: Words after which a secret stands; a name such as OPENAI_API_KEY or `db-password` ends in one.
_WORD = (
    r"(?:sk|pk|api[ _-]?key|access[ _-]?key|token|secret|passwd|password|passphrase|credentials?)"
)
_BEARER = re.compile(r"(?i)\b(bearer\s{1,3})[\w.~+/=-]{8,}")
_SHAPED = re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|xox[abprs]|glpat|AKIA)[-_]?[\w-]{12,}")
_NAMED = re.compile(
    rf"""(?i)((?:\b|_){_WORD}["']?(?:\s{{0,3}}[=:]\s{{0,3}}|\s{{1,3}})["']?)(?!\[REDACTED\])[^\s"']{{8,}}"""
)
#: `$NAME=value`, and variables that are keys by their names, however short the value is.
_VARIABLE = re.compile(
    r"(\$[A-Za-z_]\w*=|\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)\s?=\s?)(?!\[REDACTED\])\S+"
)
#: A long run, unless it is labelled as the hash of a commit or a content.
_RUN = re.compile(
    r"(?i)(\b(?:commit|sha|sha1|sha256|hash|revision|digest)\W{1,3}(?:[0-9a-f]{64}|[0-9a-f]{40})\b)"
    r"|[A-Za-z0-9+/]{32,}={0,2}"
)


def redact(text: str) -> str:
    """Return the text with `[REDACTED]` in the place of what may be a secret; doing it again changes nothing."""
    text = _BEARER.sub(rf"\1{REDACTED}", text)
    text = _SHAPED.sub(REDACTED, text)
    text = _VARIABLE.sub(rf"\1{REDACTED}", text)
    text = _NAMED.sub(rf"\1{REDACTED}", text)
    return _RUN.sub(lambda found: found[1] or REDACTED, text)
