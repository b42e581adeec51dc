"""All SQL of the graph, one file for each subject. Only this noun imports it."""
