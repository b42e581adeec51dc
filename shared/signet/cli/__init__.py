"""The command line: `main.py` is the entry point, `tree.py` the commands. They share `withheld`."""

#: The environment variable with the passphrase of backups. `main` takes it out of the environment, so that no program
#: that a command starts inherits it, and keeps it in `withheld`.
PASSPHRASE = "SIGNET_BACKUP_PASSPHRASE"
withheld: dict[str, str] = {}
