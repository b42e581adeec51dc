"""From sessions to notes and facts, and from many notes to few."""
