"""Sources outside that are kept in step: folders, whose files become documents."""
