"""The product's nouns, each in a folder, from the lowest to the highest. A noun may use those below it.

- agents: who owns memories and who may read them
- embeddings, graph: vectors of texts; entities and how they relate
- skills: what agents can do, as files and as nodes of the graph
- memory, sessions: the memory row and its life; the traces of a conversation
- recall: what to bring back
- browse, projection: other ways to read memories; the map of their vectors
- extraction: from text to facts
- documents, retention: text from outside; when to delete rows
"""
