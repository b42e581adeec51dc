"""`signet doctor`: check the installation in a few seconds, with the daemon up or down."""
