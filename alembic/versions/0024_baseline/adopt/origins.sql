-- Sources and origins, which the earlier program did not store, as far as its rows show them.

-- What a memory was derived from.
INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
  SELECT id, CASE source_type WHEN 'session_end' THEN 'session' ELSE 'memory' END, source_id
    FROM memories WHERE source_type IN ('pipeline-v2', 'session_end') AND source_id IS NOT NULL;
-- Facts that were extracted again or replaced an older one have that text as an additional source.
INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
  SELECT m.id, 'memory', h.memory_id FROM memory_history h
    JOIN memories m ON m.id = coalesce(h.metadata ->> 'dedupedExistingId', h.metadata ->> 'updatedMemoryId')
   WHERE h.event = 'none' AND json_valid(h.metadata) AND m.id <> h.memory_id
     AND EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = m.id)
     AND EXISTS (SELECT 1 FROM memories f WHERE f.id = h.memory_id);
INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
  SELECT h.memory_id, 'person', h.changed_by FROM memory_history h
   WHERE h.event = 'updated' AND h.actor_type IS NOT 'pipeline' AND json_valid(h.metadata)
     AND h.metadata ->> 'supersededBy' IS NULL
     AND EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = h.memory_id);

-- Who wrote a text. The first list is what people and agents saved explicitly, the second what harnesses wrote, the
-- third what was distilled from other texts; the history shows which saves a person requested.
UPDATE memories SET origin = 'agent';
UPDATE memories SET origin = 'imported'
  WHERE type = 'document_chunk' OR idempotency_key LIKE 'import:%'
    OR NOT (coalesce(source_type, '') IN ('', 'manual', 'explicit', 'chunk')
      OR source_type IN ('session', 'claude-project-memory', 'openclaw-memory-log', 'claude-code', 'codex',
        'opencode', 'openclaw')
      OR source_type IN ('pipeline-v2', 'session_end'));
UPDATE memories SET origin = 'web' WHERE type = 'document_chunk' AND EXISTS (
    SELECT 1 FROM documents d WHERE d.id = memories.source_id AND d.source_type = 'url');
UPDATE memories SET origin = 'user'
  WHERE origin = 'agent' AND coalesce(source_type, '') IN ('', 'manual', 'explicit', 'chunk')
    AND type <> 'session_summary' AND EXISTS (
      SELECT 1 FROM memory_history h
       WHERE h.memory_id = memories.id AND h.event = 'created' AND h.changed_by IN ('cli', 'user')
         AND coalesce(h.actor_type, '') NOT IN ('agent', 'harness', 'pipeline'));
UPDATE memories SET origin = 'inferred'
  WHERE source_type IN ('pipeline-v2', 'session_end') OR type = 'session_summary';
UPDATE memories SET origin = stranger(source_type) WHERE stranger(source_type) IS NOT NULL;
-- A fact's origin is at most that of its source.
UPDATE memories SET origin = (SELECT p.origin FROM memories p WHERE p.id = memories.source_id)
  WHERE source_type = 'pipeline-v2' AND EXISTS (
    SELECT 1 FROM memories p WHERE p.id = memories.source_id AND p.origin IN ('imported', 'tool', 'web'));
UPDATE memories SET review = 'waiting'
  WHERE origin IN ('tool', 'web') AND is_deleted = 0 AND type <> 'document_chunk' AND is_order(content);
