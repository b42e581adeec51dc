"""Maintenance: run the repairs that the report recommends, within the limits of all repairs."""
