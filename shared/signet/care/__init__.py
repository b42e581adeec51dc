"""Looking after an installation from outside: is it well, what is to be told about it, start at login, take it out."""
