"""Settings of a company's identity provider, whose bearer tokens the daemon accepts (AUTH-34)."""

import re
from collections.abc import Mapping
from enum import StrEnum
from urllib.parse import urlsplit

from signet.config.env import is_loopback
from signet.config.fields import SettingsSection, section, setting
from signet.config.values import Unfit

#: A space and its verbs, as in `signet auth token create --space`.
_GRANT = re.compile(
    r"([a-z0-9][a-z0-9-]{0,47})(?::((?:read|write|promote)(?:,(?:read|write|promote))*))?"
)


class OidcRole(StrEnum):
    """Roles that a bearer token may have; administrators use keys of this daemon."""

    AGENT = "agent"
    OPERATOR = "operator"
    READONLY = "readonly"


def address(value: object, where: str, warnings: list[str]) -> object:
    """Read an https address exactly as written; http only on this machine."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        parts = urlsplit(text)
        is_here = parts.scheme == "http" and is_loopback(parts.hostname or "")
        is_fit = bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        raise Unfit("an https address") from None
    if not is_fit or not (is_here or parts.scheme == "https"):
        raise Unfit("an https address")
    return text


def groups(value: object, where: str, warnings: list[str]) -> object:
    """Read a map of group names to spaces with verbs."""
    if not isinstance(value, Mapping):
        raise Unfit("a map of groups to spaces, such as {finance: [billing:read]}")
    found: dict[str, object] = {}
    for name, given in value.items():
        listed = [given] if isinstance(given, str) else given
        if not isinstance(listed, list | tuple) or not all(
            isinstance(one, str) and _GRANT.fullmatch(one) for one in listed
        ):
            raise Unfit("a map of groups to spaces, such as {finance: [billing:read]}")
        found[str(name)] = tuple(listed)
    return found


@section
class Oidc(SettingsSection):
    """The identity provider; without an issuer no bearer token of another system is accepted."""

    #: Compared with the claim `iss` byte for byte.
    issuer: str | None = setting(None, accept=address)
    audience: str | None = None
    #: The address of the keys; None: the one in the provider's own description.
    jwks_url: str | None = setting(None, accept=address)
    user_claim: str = "sub"
    #: A dot leads into an object: `realm_access.roles`.
    groups_claim: str = "groups"
    groups: Mapping[str, tuple[str, ...]] = setting({}, accept=groups)
    role: OidcRole = setting(OidcRole.AGENT)
    #: Largest difference between the clocks of the provider and this machine.
    leeway_seconds: int = setting(60, 0, 300)

    def spaces(self, names: object) -> dict[str, list[str]]:
        """Return the verbs by space of a token's groups."""
        found: dict[str, set[str]] = {}
        for name in names if isinstance(names, list | tuple) else ():
            for one in self.groups.get(name, ()) if isinstance(name, str) else ():
                space, _, verbs = one.partition(":")
                found.setdefault(space, set()).update(verbs.split(",") if verbs else ["read"])
        return {space: sorted(verbs) for space, verbs in found.items()}
