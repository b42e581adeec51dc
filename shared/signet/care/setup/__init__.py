"""Making a workspace, or putting right what one lacks. Nothing a person wrote is ever overwritten."""
