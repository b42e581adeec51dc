"""What the user thinks of skills and tool servers: `marketplace/reviews.json`, sent only where the user has said."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from signet.domain.marketplace import describe
from signet.domain.marketplace.servers_file import FileUnreadable, alone, read_json, write_json
from signet.errors import Invalid, Kind, NotFound, PermanentJobError, SignetError
from signet.net.fetch import Wanted, fetch
from signet.net.http import HttpError

MAX_REVIEWS = 1_000
MAX_TITLE_CHARS = 120
MAX_BODY_CHARS = 4_000
MAX_ID_CHARS = 200
SYNC_SECONDS = 15.0
_ANSWER_BYTES = 256 * 1024


class NoSuchReview(NotFound):
    """There is no such review."""

    code = "review_not_found"


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
        """Return a review; raises NoSuchReview."""
        if id_ not in self.reviews:
            raise NoSuchReview(f"There is no review '{id_}'", id=id_)
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


def create(kept: Reviews, sent: Mapping[str, object], *, id_: str, now: str) -> Reviews:
    """Add a review; raises Invalid."""
    if len(kept.reviews) >= MAX_REVIEWS:
        raise Invalid(f"there are {MAX_REVIEWS} reviews already")
    target_id = describe.text(sent.get("targetId"), MAX_ID_CHARS)
    if not target_id:
        raise Invalid("targetId is required")
    try:
        target_type = Target(str(sent.get("targetType")))
    except ValueError:
        raise Invalid("targetType must be skill or mcp") from None
    review = Review(
        id=id_,
        target_type=target_type,
        target_id=target_id,
        display_name=describe.text(sent.get("displayName"), MAX_TITLE_CHARS) or target_id,
        rating=_rating(sent.get("rating")),
        title=_words(sent.get("title"), "title", MAX_TITLE_CHARS),
        body=_words(sent.get("body"), "body", MAX_BODY_CHARS),
        created_at=now,
        updated_at=now,
    )
    return kept.with_review(review)


def edit(kept: Reviews, id_: str, sent: Mapping[str, object], *, now: str) -> Reviews:
    """Change rating, title, body or name of a review; it is to be sent again. Raises NoSuchReview, Invalid."""
    before = kept.review(id_)
    changes: dict[str, object] = {}
    if "rating" in sent:
        changes["rating"] = _rating(sent["rating"])
    if "displayName" in sent:
        changes["display_name"] = _words(sent["displayName"], "displayName", MAX_TITLE_CHARS)
    if "title" in sent:
        changes["title"] = _words(sent["title"], "title", MAX_TITLE_CHARS)
    if "body" in sent:
        changes["body"] = _words(sent["body"], "body", MAX_BODY_CHARS)
    if not changes:
        raise Invalid("nothing to change; send rating, title, body or displayName")
    changed = replace(before, updated_at=now, synced_at=None, **changes)  # type: ignore[arg-type]
    return kept.with_review(changed)


def remove(kept: Reviews, id_: str) -> Reviews:
    """Drop a review; raises NoSuchReview."""
    kept.review(id_)
    return replace(
        kept, reviews={key: review for key, review in kept.reviews.items() if key != id_}
    )


def configure(kept: Reviews, sent: Mapping[str, object]) -> Reviews:
    """Say where reviews are sent to; raises Invalid."""
    enabled = sent.get("enabled", kept.sync.enabled)
    if not isinstance(enabled, bool):
        raise Invalid("enabled must be true or false")
    url = sent.get("endpointUrl", kept.sync.endpoint_url)
    if not isinstance(url, str) or (url.strip() and not _is_address(url.strip())):
        raise Invalid("endpointUrl must be an http or https address without a password")
    if enabled and not url.strip():
        raise Invalid("endpointUrl is required to send reviews")
    return replace(kept, sync=replace(kept.sync, enabled=enabled, endpoint_url=url.strip()))


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


def _rating(sent: object) -> int:
    if isinstance(sent, bool) or not isinstance(sent, int) or not 1 <= sent <= 5:
        raise Invalid("rating must be a whole number from 1 to 5")
    return sent


def _words(sent: object, name: str, most: int) -> str:
    """Return a text of the user, which is refused rather than cut."""
    if not isinstance(sent, str) or not sent.strip():
        raise Invalid(f"{name} is required")
    if len(sent) > most:
        raise Invalid(f"{name} may have {most} characters")
    return sent.strip()


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_named and "@" not in parts.netloc
