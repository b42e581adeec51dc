"""Every router, in the order in which they are asked: fixed paths before parameters."""

from fastapi import APIRouter

from signet_api.routes import (
    changes,
    docs,
    documents,
    features,
    forget,
    health,
    hooks,
    jobs,
    memories,
    metrics,
    pipeline,
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
    jobs.router,
    forget.router,
    changes.router,
    memories.router,
    hooks.router,
    documents.router,
    transfer.router,
    pipeline.router,
    metrics.router,
    docs.router,
)
