"""What recall reads of other nouns, one module for each subject; it writes nothing."""
