"""`signet doctor`: is this setup all right? Looks at everything in a few seconds, with the daemon up or down."""
