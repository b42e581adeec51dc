"""Hints: what somebody may ask later, written beside a memory so that other words find it too."""
