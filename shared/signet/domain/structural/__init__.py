"""The closer look at what is told of an entity: under which aspect it belongs, and on what the entity depends."""
