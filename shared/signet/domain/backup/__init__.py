"""Copies of a whole workspace for disasters: made while the daemon runs, verified, and put back."""
