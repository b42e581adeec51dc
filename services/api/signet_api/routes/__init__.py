"""Every router, in the order in which they are asked: fixed paths before parameters."""

from fastapi import APIRouter

from signet_api.routes import (
    changes,
    docs,
    documents,
    embeddings,
    features,
    forget,
    health,
    hooks,
    hooks_recall,
    ids,
    jobs,
    legacy,
    memories,
    metrics,
    pipeline,
    projection,
    recall,
    remember,
    status,
    transfer,
)

ROUTERS: tuple[APIRouter, ...] = (
    health.router,
    status.router,
    features.router,
    remember.router,
    recall.router,
    legacy.router,
    hooks_recall.router,
    embeddings.router,
    projection.router,
    jobs.router,
    forget.router,
    changes.router,
    ids.router,
    memories.router,
    hooks.router,
    documents.router,
    transfer.router,
    pipeline.router,
    metrics.router,
    docs.router,
)
