"""What can be imported: one module for each format, which yields records and holds no more than one."""
