"""Manage an installation: setup, doctor, report, start at login, uninstall."""
