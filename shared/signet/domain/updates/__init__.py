"""Updates: find new versions, and install them with the original tool."""
