"""Connectors: folders whose files are synchronised as documents."""
