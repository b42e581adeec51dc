"""Reviews of skills and tool servers: kept here, and sent on only when the user asks and has said where to."""

import asyncio
from functools import partial
from statistics import mean
from typing import Annotated
from uuid import uuid4

from signet import clock
from signet.domain.marketplace import reviews
from signet.domain.marketplace.reviews import Review, Reviews, Sync, SyncFailed
from signet.observe import logs
from signet.wire import marketplace as wire
from signet.wire.requests.marketplace import ReviewBody, SyncBody
from signet.wire.requests.model import Whole
from signet_api.marketplace import Near
from signet_api.routed import apart
from signet_api.serving import serves
from signet_api.shapes import as_wire

log = logs.get("system")


@serves(wire.REVIEWS)
async def get_reviews(
    state: Near,
    type: str | None = None,
    id: str | None = None,
    limit: Annotated[int, Whole(1, 100)] = 20,
    offset: Annotated[int, Whole(0, reviews.MAX_REVIEWS)] = 0,
) -> wire.Reviews:
    """Return a page of the reviews, changed last first; `type` and `id` name what they are about."""
    kept = await asyncio.to_thread(state.routed.reviews.read)
    found = [
        review
        for review in reversed(kept.reviews.values())  # type: ignore[call-overload]
        if type in (None, review.target_type) and id in (None, review.target_id)
    ]
    found.sort(key=lambda review: review.updated_at, reverse=True)
    page = [_review(review) for review in found[offset : offset + limit]]
    return {
        "reviews": page,
        "count": len(page),
        "total": len(found),
        "limit": limit,
        "offset": offset,
        "summary": {
            "count": len(found),
            "avgRating": round(mean([review.rating for review in found] or [0]), 2),
        },
    }


@serves(wire.WRITE_REVIEW)
async def post_review(body: ReviewBody, state: Near) -> wire.WrittenReview:
    """Write a review."""
    id_, now = str(uuid4()), clock.to_text(clock.now())
    sent = body.model_dump(exclude_unset=True)
    changed = await asyncio.to_thread(
        state.routed.reviews.change, lambda kept: reviews.create(kept, sent, id_=id_, now=now)
    )
    return {"success": True, "review": _review(changed.review(id_))}


@serves(wire.REVIEW_SETTINGS)
async def get_config(state: Near) -> wire.ReviewSync:
    """Return where reviews are sent to, and how that went last."""
    kept = await asyncio.to_thread(state.routed.reviews.read)
    return {**_config(kept.sync), "pending": len(reviews.pending(kept))}


@serves(wire.CHANGE_REVIEW_SETTINGS)
async def patch_config(body: SyncBody, state: Near) -> wire.ChangedReviewSettings:
    """Say where reviews are sent to."""
    configure = partial(reviews.configure, enabled=body.enabled, url=body.endpoint_url)
    changed = await asyncio.to_thread(state.routed.reviews.change, configure)
    return {"success": True, "config": _config(changed.sync)}


@serves(wire.SEND_REVIEWS)
async def post_sync(state: Near) -> wire.SentReviews:
    """Send the reviews that are new or changed to the place that the user has named."""
    file = state.routed.reviews
    kept = await asyncio.to_thread(file.read)
    unsent = reviews.unsent(kept)
    body: dict[str, object] = {"reviews": [_review(review) for review in unsent]}
    may_be_private = state.settings.marketplace.allow_private_networks
    url = kept.sync.endpoint_url
    if unsent:
        try:
            await apart(partial(reviews.send, url, body, may_be_private=may_be_private))
        except SyncFailed as error:
            why = error.message
            await asyncio.to_thread(file.change, lambda now: reviews.not_sent(now, why))
            raise
    at = clock.to_text(clock.now())

    def note(now: Reviews) -> Reviews:
        return reviews.sent_as(now, unsent, now=at)

    await asyncio.to_thread(file.change, note)
    log.info("reviews.sent", count=len(unsent))
    return {"success": True, "sent": len(unsent), "synced": len(unsent), "syncedAt": at}


@serves(wire.CHANGE_REVIEW)
async def patch_review(review_id: str, body: ReviewBody, state: Near) -> wire.WrittenReview:
    """Change a review."""
    now, sent = clock.to_text(clock.now()), body.model_dump(exclude_unset=True)
    changed = await asyncio.to_thread(
        state.routed.reviews.change, lambda kept: reviews.edit(kept, review_id, sent, now=now)
    )
    return {"success": True, "review": _review(changed.review(review_id))}


@serves(wire.REMOVE_REVIEW)
async def delete_review(review_id: str, state: Near) -> wire.RemovedReview:
    """Drop a review."""
    await asyncio.to_thread(
        state.routed.reviews.change, lambda kept: reviews.remove(kept, review_id)
    )
    return {"success": True, "id": review_id}


def _review(review: Review) -> wire.Review:
    return as_wire(wire.Review, review, source="local" if review.synced_at is None else "synced")


def _config(sync: Sync) -> wire.ReviewSettings:
    return as_wire(wire.ReviewSettings, sync, lastSyncError=sync.last_error)
