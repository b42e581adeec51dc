"""Every router, in the order in which they are asked: fixed paths before parameters."""

from fastapi import APIRouter

from signet_api.routes import (
    docs,
    documents,
    features,
    health,
    jobs,
    memories,
    metrics,
    pipeline,
    recall,
    remember,
    status,
)

ROUTERS: tuple[APIRouter, ...] = (
    health.router,
    status.router,
    features.router,
    remember.router,
    recall.router,
    jobs.router,
    memories.router,
    documents.router,
    pipeline.router,
    metrics.router,
    docs.router,
)
