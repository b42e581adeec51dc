-- Rows of imports that were here already under another id, so that what names them finds ours.
CREATE TABLE import_aliases (
  kind TEXT NOT NULL,             -- memory, entity, … (signet/domain/transfer/kinds.py)
  foreign_id TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (kind, foreign_id)
);
