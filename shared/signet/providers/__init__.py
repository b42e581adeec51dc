"""Text models and embedding models, behind two small protocols."""
