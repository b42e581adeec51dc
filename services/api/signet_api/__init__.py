"""The HTTP API process: serves requests on loopback and writes rows and jobs."""
