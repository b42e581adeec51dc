"""What the user thinks of skills and tool servers: `marketplace/reviews.json`, sent only where the user has said."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from signet.domain.marketplace import describe
from signet.domain.marketplace.servers_file import FileUnreadable, alone, read_json, write_json
from signet.errors import Invalid, Kind, NotFound, PermanentJobError, SignetError
from signet.net.fetch import Wanted, fetch
from signet.net.http import HttpError
from signet.text import web

MAX_REVIEWS = 1_000
MAX_TITLE_CHARS = 120
MAX_ID_CHARS = 200
SYNC_SECONDS = 15.0
_ANSWER_BYTES = 256 * 1024
#: What a review must say, and what can be changed of it, beside its name.
_EDITABLE = ("rating", "title", "body")


class SyncFailed(SignetError):
    """The reviews could not be sent."""

    kind = Kind.UPSTREAM
    code = "review_sync_failed"


class Target(StrEnum):
    """What can be reviewed."""

    SKILL = "skill"
    SERVER = "mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One review; `synced_at` is when it was last sent as it is, None when it was not."""

    id: str
    target_type: Target
    target_id: str
    display_name: str
    rating: int
    title: str
    body: str
    created_at: str
    updated_at: str
    synced_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """Where reviews are sent to, if they are, and how that went last."""

    enabled: bool = False
    endpoint_url: str = ""
    last_sync_at: str | None = None
    last_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviews:
    """What the file holds: the reviews by their ids, oldest first."""

    reviews: Mapping[str, Review] = field(default_factory=dict)
    sync: Sync = field(default_factory=Sync)

    def with_review(self, review: Review) -> "Reviews":
        """Return the reviews with this one in the place of one of its id."""
        return replace(self, reviews={**self.reviews, review.id: review})

    def review(self, id_: str) -> Review:
        """Return a review; raises NotFound."""
        if id_ not in self.reviews:
            raise NotFound(f"There is no review '{id_}'", "review_not_found", id=id_)
        return self.reviews[id_]


@dataclass(frozen=True, slots=True)
class ReviewsFile:
    """Reads and changes the file; every method waits for the disk."""

    path: Path

    def read(self) -> Reviews:
        """Return what is kept; raises FileUnreadable."""
        found = read_json(self.path)
        if not found:
            return Reviews()
        try:
            listed = [_review(one) for one in found["reviews"]]  # type: ignore[attr-defined]
            sync = Sync(**found["sync"])  # type: ignore[arg-type]
        except (KeyError, TypeError, ValueError) as error:
            raise FileUnreadable(f"{self.path} is damaged ({error!r})") from error
        return Reviews(reviews={review.id: review for review in listed}, sync=sync)

    def change(self, how: Callable[[Reviews], Reviews]) -> Reviews:
        """Put what `how` makes of the file in its place; raises FileUnreadable and what `how` raises."""
        with alone(self.path.parent):
            changed = how(self.read())
            listed = [asdict(review) for review in changed.reviews.values()]
            write_json(self.path, {"sync": asdict(changed.sync), "reviews": listed})
        return changed


def create(kept: Reviews, sent: Mapping[str, Any], *, id_: str, now: str) -> Reviews:
    """Add a review; raises Invalid."""
    if len(kept.reviews) >= MAX_REVIEWS:
        raise Invalid(f"there are {MAX_REVIEWS} reviews already")
    target_id = describe.text(sent.get("target_id"), MAX_ID_CHARS)
    said = {**sent, "target_id": target_id}
    if missing := [name for name in ("target_type", *_EDITABLE, "target_id") if not said.get(name)]:
        raise Invalid(f"{missing[0]} is required")
    shown = describe.text(sent.get("display_name"), MAX_TITLE_CHARS) or target_id
    review = _review(
        {**said, "display_name": shown, "id": id_, "created_at": now, "updated_at": now}
    )
    return kept.with_review(review)


def edit(kept: Reviews, id_: str, sent: Mapping[str, Any], *, now: str) -> Reviews:
    """Change rating, title, body or name of a review; it is to be sent again. Raises NotFound, Invalid."""
    changes = {name: sent[name] for name in (*_EDITABLE, "display_name") if name in sent}
    if not changes:
        raise Invalid("nothing to change; send rating, title, body or displayName")
    changed = replace(kept.review(id_), updated_at=now, synced_at=None, **changes)
    return kept.with_review(changed)


def remove(kept: Reviews, id_: str) -> Reviews:
    """Drop a review; raises NotFound."""
    kept.review(id_)
    return replace(
        kept, reviews={key: review for key, review in kept.reviews.items() if key != id_}
    )


def configure(kept: Reviews, *, enabled: bool | None, url: str | None) -> Reviews:
    """Say whether and where reviews are sent to; None stays as it was. Raises Invalid."""
    url = kept.sync.endpoint_url if url is None else url.strip()
    enabled = kept.sync.enabled if enabled is None else enabled
    if url and (not web.is_address(url) or "@" in urlsplit(url).netloc):
        raise Invalid("endpointUrl must be an http or https address without a password")
    if enabled and not url:
        raise Invalid("endpointUrl is required to send reviews")
    return replace(kept, sync=replace(kept.sync, enabled=enabled, endpoint_url=url))


def unsent(kept: Reviews) -> list[Review]:
    """Return the reviews that are to be sent; raises Invalid while nobody has said where to."""
    if not kept.sync.enabled or not kept.sync.endpoint_url:
        raise Invalid(
            "reviews stay on this machine: no endpoint is configured"
            " (PATCH /api/marketplace/reviews/config with enabled and endpointUrl)"
        )
    return pending(kept)


def pending(kept: Reviews) -> list[Review]:
    """Return the reviews that are new or changed since they were sent."""
    return [review for review in kept.reviews.values() if review.synced_at is None]


def send(url: str, body: Mapping[str, object], *, may_be_private: bool) -> None:
    """Post reviews to the address that the user has named, and to no other; raises SyncFailed."""
    wanted = Wanted(
        max_bytes=_ANSWER_BYTES,
        seconds=SYNC_SECONDS,
        accepts=lambda media_type: True,
        may_be_private=may_be_private,
    )
    try:
        fetch(url, wanted, body=json.dumps(body).encode())
    except (HttpError, PermanentJobError) as error:
        raise SyncFailed(f"the reviews could not be sent: {error.message}") from error


def sent_as(kept: Reviews, sent: list[Review], *, now: str) -> Reviews:
    """Note what was sent; one that was changed meanwhile is to be sent again."""
    same = {
        review.id: replace(review, synced_at=now)
        for review in sent
        if kept.reviews.get(review.id) == review
    }
    sync = replace(kept.sync, last_sync_at=now, last_error=None)
    return replace(kept, reviews={**kept.reviews, **same}, sync=sync)


def not_sent(kept: Reviews, why: str) -> Reviews:
    """Note why reviews could not be sent."""
    return replace(kept, sync=replace(kept.sync, last_error=why))


def _review(found: Mapping[str, object]) -> Review:
    return Review(**{**found, "target_type": Target(str(found["target_type"]))})  # type: ignore[arg-type]
