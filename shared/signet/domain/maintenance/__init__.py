"""The daemon puts itself right: it does the repairs that its own report asks for, within the limits of all repairs."""
