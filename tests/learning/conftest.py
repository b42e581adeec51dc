"""What tests of learning share with those of the API."""

from api.conftest import api

__all__ = ["api"]
