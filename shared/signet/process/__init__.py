"""What every long-running process does: boot, stay with its parent, show that it lives, stop."""
