"""Recall's queries on tables of other nouns, one module per subject; read only."""
