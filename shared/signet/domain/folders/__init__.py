"""Which folders and files of this machine may be read for memory, and how to open them safely."""
