-- What adopted rows must become. Runs on our tables, before their indexes and checks apply.

-- Memories.
UPDATE memories SET is_deleted = COALESCE(is_deleted <> 0, 0), pinned = COALESCE(pinned <> 0, 0),
  agent_id = COALESCE(agent_id, 'default'), visibility = COALESCE(visibility, 'global'),
  version = max(COALESCE(version, 1), 1), importance = min(max(COALESCE(importance, 0.5), 0.0), 1.0)
  WHERE is_deleted IS NOT 0 OR pinned IS NOT 0 OR agent_id IS NULL OR visibility IS NULL
    OR COALESCE(version < 1, 1) OR COALESCE(importance NOT BETWEEN 0 AND 1, 1);
-- Hooks of the earlier program wrote no hash. Of rows with the same text the oldest has it, the others are found by it.
UPDATE memories SET content_hash = hash_of(CAST(content AS BLOB)) WHERE content_hash IS NULL;
UPDATE memories SET content_hash = NULL
  WHERE content_hash IS NOT NULL AND is_deleted = 0 AND seq NOT IN (
    SELECT min(seq) FROM memories WHERE content_hash IS NOT NULL AND is_deleted = 0
    GROUP BY content_hash, agent_id, visibility, COALESCE(scope, ''), COALESCE(project, ''));

-- A vector that is none would spoil the scores of all others; without it its text is embedded anew.
DELETE FROM embeddings WHERE NOT is_vector(vector, dimensions);

-- Several vectors of one source: the newest is the first passage.
UPDATE embeddings SET ordinal = numbered.place FROM (
    SELECT id, row_number() OVER (
      PARTITION BY source_type, source_id ORDER BY created_at DESC, rowid DESC) - 1 AS place
    FROM embeddings) AS numbered
  WHERE numbered.id = embeddings.id AND numbered.place > 0;

UPDATE embeddings SET model = embedding_model FROM memories
  WHERE embeddings.source_type = 'memory' AND memories.id = embeddings.source_id AND model IS NULL;

-- A cache has one row per number of dimensions.
DELETE FROM umap_cache WHERE id NOT IN (SELECT max(id) FROM umap_cache GROUP BY dimensions);

-- Entities: one per agent and canonical name. A skill stays (its id is its name), else the oldest.
UPDATE entities SET canonical_name = lower(trim(name)) WHERE canonical_name = '';
CREATE TEMP TABLE merged AS SELECT * FROM (
    SELECT id AS loser, first_value(id) OVER (
      PARTITION BY agent_id, canonical_name
      ORDER BY entity_type = 'skill' DESC, created_at, id) AS winner
    FROM entities)
  WHERE loser <> winner;
UPDATE entities SET mentions = entities.mentions + theirs.mentions, pinned = max(entities.pinned, theirs.pinned),
    pinned_at = COALESCE(entities.pinned_at, theirs.pinned_at),
    embedding = COALESCE(entities.embedding, theirs.embedding),
    description = COALESCE(entities.description, theirs.description)
  FROM (SELECT winner, sum(mentions) AS mentions, max(pinned) AS pinned, max(pinned_at) AS pinned_at,
          max(embedding) AS embedding, group_concat(description, char(10)) AS description
        FROM merged JOIN entities ON id = loser GROUP BY winner) AS theirs
  WHERE theirs.winner = entities.id;
UPDATE relations SET source_entity_id = winner FROM merged WHERE source_entity_id = loser;
UPDATE relations SET target_entity_id = winner FROM merged WHERE target_entity_id = loser;
UPDATE entity_dependencies SET source_entity_id = winner FROM merged WHERE source_entity_id = loser;
UPDATE entity_dependencies SET target_entity_id = winner FROM merged WHERE target_entity_id = loser;
UPDATE entity_aspects SET entity_id = winner FROM merged WHERE entity_id = loser;
UPDATE entity_attributes SET entity_id = winner FROM merged WHERE entity_id = loser;
UPDATE OR IGNORE memory_entity_mentions SET entity_id = winner FROM merged WHERE entity_id = loser;
DELETE FROM memory_entity_mentions WHERE entity_id IN (SELECT loser FROM merged);
UPDATE OR IGNORE skill_meta SET entity_id = winner FROM merged WHERE entity_id = loser;
DELETE FROM skill_meta WHERE entity_id IN (SELECT loser FROM merged);
UPDATE OR IGNORE task_meta SET entity_id = winner FROM merged WHERE entity_id = loser;
DELETE FROM task_meta WHERE entity_id IN (SELECT loser FROM merged);
UPDATE embeddings SET source_id = winner FROM merged WHERE source_id = loser AND source_type <> 'memory';
DELETE FROM entities WHERE id IN (SELECT loser FROM merged);
DROP TABLE merged;
INSERT INTO entity_pinning (id, agent_id, entity_id, pin_type, created_at)
  SELECT 'pin:' || id, agent_id, id, 'pin', COALESCE(pinned_at, updated_at) FROM entities
  WHERE pinned = 1 AND id NOT IN (SELECT entity_id FROM entity_pinning);

-- Relations: one per source, target and type.
CREATE TEMP TABLE kept AS SELECT min(created_at || ' ' || id) AS oldest, sum(mentions) AS mentions,
    max(strength) AS strength, max(confidence) AS confidence
  FROM relations GROUP BY source_entity_id, target_entity_id, relation_type;
DELETE FROM relations WHERE created_at || ' ' || id NOT IN (SELECT oldest FROM kept);
UPDATE relations SET mentions = kept.mentions, strength = kept.strength, confidence = kept.confidence
  FROM kept WHERE relations.created_at || ' ' || relations.id = kept.oldest;
DROP TABLE kept;

-- Aspects: one per entity and canonical name; attributes follow.
CREATE TEMP TABLE merged AS SELECT * FROM (
    SELECT id AS loser, first_value(id) OVER (
      PARTITION BY entity_id, canonical_name ORDER BY created_at, id) AS winner
    FROM entity_aspects)
  WHERE loser <> winner;
UPDATE entity_attributes SET aspect_id = winner FROM merged WHERE aspect_id = loser;
UPDATE entity_dependencies SET aspect_id = winner FROM merged WHERE aspect_id = loser;
DELETE FROM entity_aspects WHERE id IN (SELECT loser FROM merged);
DROP TABLE merged;

-- Attributes: the entity is that of the aspect; of a stub, the one its job names, else one that its memory mentions.
-- One active row per aspect and value.
UPDATE entity_attributes SET entity_id = entity_aspects.entity_id FROM entity_aspects
  WHERE entity_aspects.id = aspect_id AND entity_attributes.entity_id = '';
UPDATE entity_attributes SET entity_id = named.entity_id FROM (
    SELECT payload ->> '$.attribute_id' AS attribute_id, payload ->> '$.entity_id' AS entity_id
    FROM memory_jobs WHERE job_type = 'structural_classify' AND json_valid(payload)) AS named
  WHERE named.attribute_id = entity_attributes.id AND named.entity_id IN (SELECT id FROM entities)
    AND entity_attributes.entity_id = '';
UPDATE entity_attributes SET entity_id = COALESCE(
    (SELECT min(entity_id) FROM memory_entity_mentions WHERE memory_id = source_memory_id), '')
  WHERE entity_id = '';
UPDATE entity_attributes SET status = 'superseded', superseded_by = first FROM (
    SELECT id AS other, first_value(id) OVER (
      PARTITION BY aspect_id, normalized_value ORDER BY created_at, id) AS first
    FROM entity_attributes WHERE status = 'active' AND aspect_id IS NOT NULL)
  WHERE other = id AND other <> first;

-- Dependencies: one per agent, source, target and type; nothing depends on itself.
DELETE FROM entity_dependencies WHERE source_entity_id = target_entity_id OR rowid NOT IN (
    SELECT min(rowid) FROM entity_dependencies
    GROUP BY agent_id, source_entity_id, target_entity_id, dependency_type);

UPDATE task_meta SET context_json = json_object('status', status),
    status = CASE WHEN status IN ('completed', 'closed') THEN 'done' ELSE 'open' END
  WHERE status NOT IN ('open', 'in_progress', 'blocked', 'done', 'cancelled');

-- Predictor: several results of one session stay apart by their id.
UPDATE predictor_session_comparisons SET session_key = session_key || '#' || id WHERE rowid NOT IN (
    SELECT max(rowid) FROM predictor_session_comparisons GROUP BY agent_id, session_key);

-- Nothing reads the earlier program's training data and its messages between agents.
DROP TABLE IF EXISTS predictor_training_pairs;
DROP TABLE IF EXISTS predictor_models;
DROP TABLE IF EXISTS predictor_comparisons;
DROP TABLE IF EXISTS agent_messages;
DROP TABLE IF EXISTS agent_presence;

-- Jobs: no worker of the earlier program is left, so an open job is due now, or dead when its attempts are used up.
-- Kinds that this version has no actor for wait in a queue that nobody takes from.
UPDATE memory_jobs SET due_ms = :now_ms, runs_total = max(runs_total, attempts),
    queue = CASE WHEN job_type = 'document_ingest' THEN 'ingest'
                 WHEN job_type = 'extract' THEN 'llm'
                 WHEN job_type = 'prospective_index' THEN 'hints'
                 WHEN job_type IN ('structural_classify', 'structural_dependency') THEN 'structure'
                 ELSE 'later' END,
    errors = CASE WHEN error IS NOT NULL THEN json_array(json_object(
               'at', COALESCE(failed_at, updated_at), 'token', 0, 'code', NULL, 'text', error)) END
  WHERE queue = '';
UPDATE memory_jobs SET status = 'dead', last_error_code = 'exhausted', updated_at = :now,
    error = COALESCE(error, 'All attempts were used up before completion.')
  WHERE status NOT IN ('completed', 'dead') AND attempts >= max_attempts;
UPDATE memory_jobs SET status = 'pending', leased_at = NULL, lease_owner = NULL, lease_until_ms = NULL,
    updated_at = :now
  WHERE status NOT IN ('completed', 'dead');
UPDATE memory_jobs SET
    completed_at = CASE WHEN status = 'completed' THEN COALESCE(completed_at, updated_at) END,
    failed_at = CASE WHEN status = 'dead' THEN COALESCE(failed_at, updated_at) END;
UPDATE memory_jobs SET dedupe_key = job_type || ':' || COALESCE(memory_id, document_id)
  WHERE job_type IN ('extract', 'document_ingest', 'prospective_index') AND rowid IN (
    SELECT min(rowid) FROM memory_jobs WHERE status = 'pending' GROUP BY job_type, memory_id, document_id);
UPDATE memories SET extraction_status = 'failed' WHERE id IN (
    SELECT memory_id FROM memory_jobs WHERE job_type = 'extract' AND last_error_code = 'exhausted'
    EXCEPT SELECT memory_id FROM memory_jobs WHERE job_type = 'extract' AND status = 'pending');

UPDATE summary_jobs SET due_ms = :now_ms, runs_total = attempts, lease_owner = NULL, lease_until_ms = NULL,
    status = CASE WHEN status IN ('completed', 'done') THEN 'done'
                  WHEN status IN ('dead', 'failed') OR attempts >= max_attempts THEN 'failed'
                  ELSE 'pending' END;
UPDATE summary_jobs SET failed_at = COALESCE(failed_at, completed_at, :now), last_error_code = 'exhausted'
  WHERE status = 'failed';
-- The work is done by the queue: an open session waits there, the newest job of a session first; a dead one can be
-- brought back from there.
INSERT INTO memory_jobs (id, job_type, status, attempts, max_attempts, created_at, updated_at, failed_at, error,
    last_error_code, queue, due_ms, runs_total, agent_id, dedupe_key)
  SELECT id, 'summarize', CASE status WHEN 'failed' THEN 'dead' ELSE 'pending' END, attempts, max_attempts, created_at,
      :now, failed_at, error, last_error_code, 'sessions', :now_ms, attempts, agent_id,
      'summarize:' || agent_id || ':' || COALESCE(session_id, id)
    FROM summary_jobs WHERE (status = 'failed' OR rowid IN (
      SELECT max(rowid) FROM summary_jobs WHERE status = 'pending' GROUP BY agent_id, COALESCE(session_id, id)))
    AND id NOT IN (SELECT id FROM memory_jobs);
UPDATE summary_jobs SET status = 'done', completed_at = :now
  WHERE status = 'pending' AND id NOT IN (SELECT id FROM memory_jobs WHERE job_type = 'summarize');

-- Nobody is left who could end a sync.
UPDATE connectors SET status = 'error', last_error = 'sync interrupted' WHERE status = 'syncing';
