"""Looking at the graph, and its upkeep: what people pin, groups of entities, weights, tasks."""
