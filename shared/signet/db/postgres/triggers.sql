-- The triggers of SQLite's schema, and the numbers that follow the order of commits.

CREATE FUNCTION episode_chunks_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM chunk_vectors WHERE chunk = OLD.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER episode_chunks_vd AFTER DELETE ON episode_chunks FOR EACH ROW EXECUTE FUNCTION episode_chunks_removed();

CREATE FUNCTION memories_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN INSERT INTO memory_changes (seq) VALUES (OLD.seq);
  ELSE INSERT INTO memory_changes (seq, is_text) VALUES (NEW.seq, TG_ARGV[0]::bigint);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER memories_changed_ad AFTER DELETE ON memories FOR EACH ROW EXECUTE FUNCTION memories_changed('1');
CREATE TRIGGER memories_changed_ai AFTER INSERT ON memories FOR EACH ROW EXECUTE FUNCTION memories_changed('1');
CREATE TRIGGER memories_changed_au AFTER UPDATE OF agent_id, visibility, scope, project, type, who, importance, pinned,
  created_at, is_deleted, deleted_at, superseded_by, source_type, source_id, ordinal ON memories
  FOR EACH ROW EXECUTE FUNCTION memories_changed('0');
CREATE TRIGGER memories_changed_text AFTER UPDATE OF content ON memories FOR EACH ROW EXECUTE FUNCTION memories_changed('1');

-- Caches read the rows after the highest number that they know, so a number must not become visible after a higher one.
-- A row gets its number at the end of its transaction, under a lock that is held until the commit is visible.
CREATE FUNCTION number_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7391, 1);
  EXECUTE format('UPDATE %I SET %I = nextval(pg_get_serial_sequence(%L, %L)) WHERE %I = $1', TG_TABLE_NAME, TG_ARGV[0],
                 TG_TABLE_NAME, TG_ARGV[0], TG_ARGV[1]) USING (to_jsonb(NEW) ->> TG_ARGV[1])::bigint;
  IF TG_TABLE_NAME = 'memory_changes' THEN
    IF NEW.number % 500 = 0 THEN DELETE FROM memory_changes WHERE number <= NEW.number - 10000; END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER memory_changes_numbered AFTER INSERT ON memory_changes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION number_at_commit('number', 'number');
CREATE CONSTRAINT TRIGGER embeddings_numbered AFTER INSERT ON embeddings DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION number_at_commit('seq', 'seq');
CREATE CONSTRAINT TRIGGER chunk_vectors_numbered AFTER INSERT ON chunk_vectors DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION number_at_commit('number', 'number');
CREATE CONSTRAINT TRIGGER memory_jobs_numbered AFTER INSERT ON memory_jobs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION number_at_commit('rowid', 'rowid');

-- Mentions that saves add to entities: each is a row of its own until its transaction has committed, because two saves
-- cannot change one row of `entities` at the same time. Whoever reads them in a transaction that writes counts them first.
CREATE TABLE mentions_due (entity_id TEXT COLLATE "C" NOT NULL, more BIGINT NOT NULL, at TEXT COLLATE "C" NOT NULL);

CREATE FUNCTION mentions_counted(is_apart boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF is_apart THEN
    PERFORM pg_advisory_xact_lock(7391, 4);
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
  WITH due AS (DELETE FROM mentions_due RETURNING entity_id, more, at),
  sums AS (SELECT entity_id, sum(more) AS more, max(at) AS at FROM due GROUP BY entity_id)
  UPDATE entities e SET mentions = e.mentions + s.more, updated_at = greatest(e.updated_at, s.at)
    FROM sums s WHERE e.id = s.entity_id;
END $$;

CREATE FUNCTION memories_derived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM memory_sources WHERE memory_id = OLD.id;
    DELETE FROM memory_sources WHERE kind = 'memory' AND source_id = OLD.id;
    DELETE FROM memory_withdrawals WHERE memory_id = OLD.id;
  ELSIF NEW.source_type IN ('pipeline-v2', 'session_end') AND NEW.source_id IS NOT NULL THEN
    INSERT INTO memory_sources (memory_id, kind, source_id)
    VALUES (NEW.id, CASE NEW.source_type WHEN 'session_end' THEN 'session' ELSE 'memory' END, NEW.source_id)
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER memories_derived AFTER INSERT OR DELETE ON memories FOR EACH ROW EXECUTE FUNCTION memories_derived();

CREATE FUNCTION memory_jobs_followed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = 'dead' THEN
    UPDATE memories SET extraction_status = 'failed'
     WHERE NEW.job_type = 'extract' AND id = NEW.memory_id AND extraction_status = 'pending';
    UPDATE documents SET status = 'failed', error = NEW.error, updated_at = NEW.updated_at
     WHERE NEW.job_type = 'document_ingest' AND id = NEW.document_id AND status NOT IN ('done', 'deleted', 'failed');
    UPDATE connectors SET status = 'error', updated_at = NEW.updated_at,
           last_error = CASE WHEN NEW.last_error_code IN ('crashed', 'lease_expired', 'cancelled')
                             THEN 'sync interrupted' ELSE NEW.error END
     WHERE NEW.dedupe_key = 'connector_sync:' || id AND status = 'syncing';
  ELSIF OLD.status = 'dead' AND NEW.status = 'pending' THEN
    UPDATE memories SET extraction_status = 'pending'
     WHERE NEW.job_type = 'extract' AND id = NEW.memory_id AND extraction_status = 'failed';
    UPDATE documents SET status = 'queued', error = NULL, updated_at = NEW.updated_at
     WHERE NEW.job_type = 'document_ingest' AND id = NEW.document_id AND status = 'failed';
    UPDATE connectors SET status = 'syncing', updated_at = NEW.updated_at WHERE NEW.dedupe_key = 'connector_sync:' || id;
  END IF;
  IF NEW.job_type = 'summarize' THEN
    UPDATE summary_jobs SET
      status = CASE NEW.status WHEN 'leased' THEN 'processing' WHEN 'completed' THEN 'done' WHEN 'dead' THEN 'failed'
                               ELSE 'pending' END,
      attempts = NEW.attempts, max_attempts = NEW.max_attempts, updated_at = NEW.updated_at, leased_at = NEW.leased_at,
      completed_at = NEW.completed_at, failed_at = NEW.failed_at, error = NEW.error,
      last_error_code = NEW.last_error_code, due_ms = NEW.due_ms, runs_total = NEW.runs_total,
      lease_owner = NEW.lease_owner, lease_token = NEW.lease_token, lease_until_ms = NEW.lease_until_ms
     WHERE id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_jobs_followed AFTER UPDATE OF status ON memory_jobs FOR EACH ROW EXECUTE FUNCTION memory_jobs_followed();

CREATE FUNCTION memory_worth_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO memory_worth_changes AS c (agent_id, number) VALUES (OLD.agent_id, 1)
    ON CONFLICT (agent_id) DO UPDATE SET number = c.number + 1;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO memory_worth_changes AS c (agent_id, number) VALUES (NEW.agent_id, 1)
    ON CONFLICT (agent_id) DO UPDATE SET number = c.number + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_worth_counted AFTER INSERT OR UPDATE OR DELETE ON memory_worth
  FOR EACH ROW EXECUTE FUNCTION memory_worth_counted();

CREATE FUNCTION memory_worth_touched(VARIADIC ids text[]) RETURNS void LANGUAGE sql AS $$
  UPDATE memory_worth_changes SET number = number + 1
   WHERE agent_id IN (SELECT agent_id FROM memory_worth WHERE memory_id = ANY (ids)) $$;
CREATE FUNCTION memory_worth_constrained() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN PERFORM memory_worth_touched(NEW.source_memory_id);
  ELSIF TG_OP = 'DELETE' THEN PERFORM memory_worth_touched(OLD.source_memory_id);
  ELSE PERFORM memory_worth_touched(OLD.source_memory_id, NEW.source_memory_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_worth_constraint_added AFTER INSERT ON entity_attributes FOR EACH ROW
  WHEN (NEW.kind = 'constraint') EXECUTE FUNCTION memory_worth_constrained();
CREATE TRIGGER memory_worth_constraint_removed AFTER DELETE ON entity_attributes FOR EACH ROW
  WHEN (OLD.kind = 'constraint') EXECUTE FUNCTION memory_worth_constrained();
CREATE TRIGGER memory_worth_constraint_changed AFTER UPDATE OF kind, status, source_memory_id ON entity_attributes FOR EACH ROW
  WHEN ('constraint' IN (OLD.kind, NEW.kind)) EXECUTE FUNCTION memory_worth_constrained();

CREATE FUNCTION memory_worth_held() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_worth_touched(NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER memory_worth_held AFTER UPDATE OF pinned, type ON memories FOR EACH ROW
  WHEN (OLD.pinned IS DISTINCT FROM NEW.pinned OR OLD.type IS DISTINCT FROM NEW.type) EXECUTE FUNCTION memory_worth_held();
