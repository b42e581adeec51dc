-- The barrier of reads (db/barrier.py). `signet.reader` is set in each read transaction for a caller with limits: an
-- owner, or '*' for every owner but people. Where it is not set, all rows are visible.

CREATE FUNCTION signet_reader() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(current_setting('signet.reader', true), '') $$;

CREATE POLICY readers ON memories USING (
  (SELECT signet_reader()) = ''
  OR CASE WHEN visibility LIKE 'space:%'
     THEN visibility = ANY ((SELECT string_to_array(current_setting('signet.spaces', true), ','))::text[])
     ELSE visibility = 'global' OR agent_id = (SELECT signet_reader())
       OR ((SELECT signet_reader()) = '*' AND agent_id NOT LIKE 'user:%') END);
ALTER TABLE memories ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['documents', 'entities', 'entity_aspects', 'entity_attributes', 'episode_chunks',
      'memories_cold', 'memory_hints', 'section_texts', 'session_checkpoints', 'session_summaries', 'session_transcripts',
      'summary_jobs'] LOOP
    EXECUTE format('CREATE POLICY readers ON %I USING ((SELECT signet_reader()) = '''' OR agent_id = (SELECT signet_reader())
      OR agent_id NOT LIKE ''user:%%'')', name);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
  END LOOP;
END $$;
