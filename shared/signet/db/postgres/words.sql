-- Full text: the words of each row with their places, as SQLite's FTS5 finds them (words.py), and its ranking.

-- `times` is the number of places, `length` the number of the row's words: the index alone answers a search for a word.
CREATE TABLE words (
  "row" BIGINT NOT NULL,
  length INTEGER NOT NULL,
  times INTEGER NOT NULL,
  index SMALLINT NOT NULL,
  term TEXT COLLATE "C" NOT NULL,
  places INTEGER[] NOT NULL,
  PRIMARY KEY (index, term, "row") INCLUDE (times, length)
);
-- The rows that are indexed, with the number and the list of their words.
CREATE TABLE word_rows (
  index SMALLINT NOT NULL,
  "row" BIGINT NOT NULL,
  length INTEGER NOT NULL,
  terms TEXT[] COLLATE "C" NOT NULL,
  PRIMARY KEY (index, "row")
);
-- Rows and words that each transaction added; their sums are the totals.
CREATE TABLE word_totals (
  index SMALLINT NOT NULL,
  "rows" BIGINT NOT NULL,
  length BIGINT NOT NULL
);
-- Rows whose words have changed; the transaction that changed them reads them again before its commit.
CREATE TABLE words_due (
  index SMALLINT NOT NULL,
  "row" BIGINT NOT NULL
);

CREATE FUNCTION words_index(called text) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT array_position(ARRAY['memories_fts', 'memory_hints_fts', 'entities_fts', 'episode_chunks_fts'], called)::smallint $$;

-- Rows with a phrase of several words, and how often; the last word may be a beginning.
CREATE FUNCTION words_phrase(of smallint, said jsonb, is_beginning boolean) RETURNS TABLE ("row" bigint, times double precision, length integer)
LANGUAGE sql STABLE STRICT ROWS 50 PARALLEL SAFE AS $$
  SELECT found."row", count(*)::double precision, min(found.length) FROM (
    SELECT w."row", place - one.at AS start, min(w.length) AS length
      FROM jsonb_array_elements_text(said) WITH ORDINALITY AS one(term, at)
      JOIN words w ON w.index = of AND (
        (w.term = one.term AND NOT (is_beginning AND one.at = jsonb_array_length(said)))
        OR (is_beginning AND one.at = jsonb_array_length(said) AND w.term >= one.term AND w.term < one.term || U&'\+10FFFF'))
     CROSS JOIN unnest(w.places) AS place
     GROUP BY w."row", start HAVING count(DISTINCT one.at) = jsonb_array_length(said)) AS found
   GROUP BY found."row" $$;

-- Whether a row with these phrases matches.
CREATE FUNCTION words_hold(tree jsonb, held integer[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  one jsonb;
  at integer := 0;
BEGIN
  IF jsonb_typeof(tree) = 'number' THEN RETURN tree::integer = ANY (held); END IF;
  FOR one IN SELECT value FROM jsonb_array_elements(tree -> 'of') LOOP
    at := at + 1;
    IF tree ->> 'is' = 'or' AND words_hold(one, held) THEN RETURN true; END IF;
    IF tree ->> 'is' = 'and' AND NOT words_hold(one, held) THEN RETURN false; END IF;
    IF tree ->> 'is' = 'not' AND words_hold(one, held) <> (at = 1) THEN RETURN false; END IF;
  END LOOP;
  RETURN tree ->> 'is' <> 'or';
END $$;

-- How many rows an index has, and their mean length.
CREATE FUNCTION words_total(of smallint) RETURNS TABLE ("rows" double precision, mean double precision)
LANGUAGE sql STABLE STRICT ROWS 1 PARALLEL SAFE AS $$
  SELECT sum("rows")::double precision, sum(length)::double precision / nullif(sum("rows"), 0) FROM word_totals WHERE index = of $$;

-- What bm25 multiplies with the weight of a phrase that a row of this length has so often.
CREATE FUNCTION words_part(times double precision, length integer, mean double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (times * 2.2) / (times + 1.2 * (0.25 + 0.75 * length / nullif(mean, 0))) $$;

-- Rows of a full-text index that match, ascending, with FTS5's bm25. (In SQL, each statement would plan all of it again.)
CREATE FUNCTION words_match(called text, query text) RETURNS TABLE (rowid bigint, rank double precision)
LANGUAGE plpgsql STABLE ROWS 200 PARALLEL SAFE AS $$
DECLARE
  of smallint := words_index(called);
  tree jsonb := query::jsonb -> 'tree';
  every double precision;
  mean double precision;
BEGIN
  SELECT t."rows", t.mean INTO every, mean FROM words_total(of) t;
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT (ordinality - 1)::integer AS n, phrase ->> 'one' AS one, phrase ->> 'begins' AS begins, phrase -> 'all' AS "all",
           (phrase ->> 'isBeginning')::boolean AS is_beginning
      FROM jsonb_array_elements(query::jsonb -> 'phrases') WITH ORDINALITY AS listed(phrase, ordinality)),
  hits AS MATERIALIZED (
    SELECT a.n, w."row", w.times::double precision AS times, w.length
      FROM asked a CROSS JOIN LATERAL (SELECT p."row", p.times, p.length FROM words p WHERE p.index = of AND p.term = a.one OFFSET 0) w
    UNION ALL
    SELECT a.n, w."row", sum(w.times)::double precision, min(w.length)
      FROM asked a JOIN words w ON w.index = of AND w.term >= a.begins AND w.term < a.begins || U&'\+10FFFF'
     GROUP BY a.n, w."row"
    UNION ALL
    SELECT a.n, found."row", found.times, found.length
      FROM asked a CROSS JOIN LATERAL words_phrase(of, a."all", a.is_beginning) AS found),
  weights AS MATERIALIZED (
    SELECT n, CASE WHEN every > 2 * count(*) THEN greatest(1e-6::double precision, ln((every - count(*) + 0.5) / (count(*) + 0.5)))
                   ELSE 1e-6 END AS weight
      FROM hits GROUP BY n)
  SELECT h."row", -sum(w.weight * words_part(h.times, h.length, mean))
    FROM hits h JOIN weights w ON w.n = h.n
   GROUP BY h."row"
  HAVING tree = 'null' OR words_hold(tree, array_agg(h.n))
   ORDER BY h."row";
END $$;

-- The word that is all that a query asks for, NULL for another query.
CREATE FUNCTION words_single(query text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN jsonb_array_length(query::jsonb -> 'phrases') = 1 THEN query::jsonb #>> '{phrases,0,one}' END $$;

-- The first rows that match, ascending, as `words_match` gives them; only those of a list if there is one. The rank of a
-- single word lacks the word's weight, and `is_weighed` is 0: so it is read from the index, and other rows are not.
CREATE FUNCTION words_ranks(called text, query text, most bigint, listed text)
RETURNS TABLE (rowid bigint, rank double precision, is_weighed bigint)
LANGUAGE plpgsql STABLE ROWS 200 PARALLEL SAFE AS $$
DECLARE
  one text := words_single(query);
  of smallint := words_index(called);
  among bigint[] := (SELECT array_agg(value::bigint) FROM json_array_elements_text(listed::json));
  mean double precision := (SELECT t.mean FROM words_total(of) t);
BEGIN
  IF one IS NULL THEN
    RETURN QUERY SELECT m.rowid, m.rank, 1::bigint FROM words_match(called, query) m
                  WHERE among IS NULL OR m.rowid = ANY (among) LIMIT most;
  ELSIF among IS NULL THEN
    RETURN QUERY SELECT w."row", -words_part(w.times, w.length, mean), 0::bigint FROM words w
                  WHERE w.index = of AND w.term = one ORDER BY w."row" LIMIT most;
  ELSE
    RETURN QUERY SELECT w."row", -words_part(w.times, w.length, mean), 0::bigint FROM words w
                  WHERE w.index = of AND w.term = one AND w."row" = ANY (among) ORDER BY w."row" LIMIT most;
  END IF;
END $$;

-- Every row that matches, ascending, in one text.
CREATE FUNCTION words_rows(called text, query text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  one text := words_single(query);
  of smallint := words_index(called);
BEGIN
  IF one IS NULL THEN RETURN (SELECT string_agg(m.rowid::text, ',') FROM words_match(called, query) m); END IF;
  RETURN (SELECT string_agg(found."row"::text, ',')
            FROM (SELECT w."row" FROM words w WHERE w.index = of AND w.term = one ORDER BY w."row") AS found);
END $$;

CREATE FUNCTION words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN INSERT INTO words_due VALUES (words_index(TG_ARGV[0]), OLD.seq); END IF;
  IF TG_OP <> 'DELETE' THEN INSERT INTO words_due VALUES (words_index(TG_ARGV[0]), NEW.seq); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER memories_words AFTER INSERT OR DELETE OR UPDATE OF content, seq ON memories
  FOR EACH ROW EXECUTE FUNCTION words_changed('memories_fts');
CREATE TRIGGER memory_hints_words AFTER INSERT OR DELETE OR UPDATE OF hint, seq ON memory_hints
  FOR EACH ROW EXECUTE FUNCTION words_changed('memory_hints_fts');
CREATE TRIGGER entities_words AFTER INSERT OR DELETE OR UPDATE OF name, canonical_name, seq ON entities
  FOR EACH ROW EXECUTE FUNCTION words_changed('entities_fts');
CREATE TRIGGER episode_chunks_words AFTER INSERT OR DELETE OR UPDATE OF content, seq ON episode_chunks
  FOR EACH ROW EXECUTE FUNCTION words_changed('episode_chunks_fts');

-- What SQLite's schema has, by name: statements ask whether a table, or a part of a full-text index, exists.
CREATE VIEW sqlite_master AS
  SELECT 'table' AS type, tablename::text AS name, tablename::text AS tbl_name,
         (SELECT 'CREATE TABLE ' || tablename || ' (' || string_agg(E'\n  ' || name || ' ' || type, ',') || ')'
            FROM sq_columns(tablename::text)) AS sql
    FROM pg_tables WHERE schemaname = current_schema()
  UNION ALL SELECT 'index', indexname::text, tablename::text, NULL FROM pg_indexes WHERE schemaname = current_schema()
  UNION ALL SELECT kind, called || part, called, NULL
    FROM (VALUES ('memories'), ('memory_hints'), ('entities'), ('episode_chunks')) AS indexed(called)
   CROSS JOIN (VALUES ('table', '_fts'), ('table', '_fts_docsize'), ('view', '_words')) AS parts(kind, part)
  UNION ALL SELECT 'trigger', prefix || part, called, NULL
    FROM (VALUES ('memories', 'memories'), ('memory_hints', 'memory_hints_fts'), ('entities', 'entities_fts'),
                 ('episode_chunks', 'episode_chunks')) AS indexed(called, prefix)
   CROSS JOIN (VALUES ('_bd'), ('_ai'), ('_bu'), ('_au')) AS parts(part);
CREATE VIEW memories_fts AS SELECT "row" AS rowid FROM word_rows WHERE index = 1;
CREATE VIEW memory_hints_fts AS SELECT "row" AS rowid FROM word_rows WHERE index = 2;
CREATE VIEW entities_fts AS SELECT "row" AS rowid FROM word_rows WHERE index = 3;
CREATE VIEW episode_chunks_fts AS SELECT "row" AS rowid FROM word_rows WHERE index = 4;
CREATE VIEW memories_fts_docsize AS SELECT "row" AS id FROM word_rows WHERE index = 1;
CREATE VIEW memory_hints_fts_docsize AS SELECT "row" AS id FROM word_rows WHERE index = 2;
CREATE VIEW entities_fts_docsize AS SELECT "row" AS id FROM word_rows WHERE index = 3;
CREATE VIEW episode_chunks_fts_docsize AS SELECT "row" AS id FROM word_rows WHERE index = 4;
