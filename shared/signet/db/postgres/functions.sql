-- Functions of SQLite that PostgreSQL lacks or that have other results; `translate.py` calls them.

CREATE FUNCTION sq_path(path text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN left(path, 1) = '$'
    THEN string_to_array(ltrim(regexp_replace(substr(path, 2), '\[(\d+)\]', '.\1', 'g'), '.'), '.')
    ELSE ARRAY[path] END $$;

-- A value of JSON as text, a number for a truth; NULL for null or nothing.
CREATE FUNCTION sq_json(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE jsonb_typeof(found) WHEN 'boolean' THEN CASE WHEN found::boolean THEN '1' ELSE '0' END ELSE found #>> '{}' END
    FROM (SELECT document::jsonb #> sq_path(path) AS found) AS part $$;

CREATE FUNCTION sq_json_part(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (document::jsonb #> sq_path(path))::text $$;

CREATE FUNCTION sq_json_valid(document text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT document IS JSON $$;

CREATE FUNCTION sq_json_type(document text, path text DEFAULT '$') RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE jsonb_typeof(found) WHEN 'string' THEN 'text' WHEN 'boolean' THEN found::text
    WHEN 'number' THEN CASE WHEN found::text ~ '[.eE]' THEN 'real' ELSE 'integer' END ELSE jsonb_typeof(found) END
    FROM (SELECT document::jsonb #> sq_path(path) AS found) AS part $$;

CREATE FUNCTION sq_json_array_length(document text, path text DEFAULT '$') RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE jsonb_typeof(found) WHEN 'array' THEN jsonb_array_length(found) ELSE 0 END
    FROM (SELECT document::jsonb #> sq_path(path) AS found) AS part WHERE found IS NOT NULL $$;

CREATE FUNCTION sq_json_set(document text, path text, value jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT jsonb_set(document::jsonb, sq_path(path), coalesce(value, 'null'), true)::text $$;

CREATE FUNCTION sq_json_replace(document text, path text, value jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT jsonb_set(document::jsonb, sq_path(path), coalesce(value, 'null'), false)::text $$;

CREATE FUNCTION sq_json_insert(document text, path text, value jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN path = '$[#]' THEN (document::jsonb || jsonb_build_array(value))::text
    WHEN document::jsonb #> sq_path(path) IS NULL THEN jsonb_set(document::jsonb, sq_path(path), coalesce(value, 'null'))::text
    ELSE document END $$;

CREATE FUNCTION sq_json_remove(document text, VARIADIC paths text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  left_over jsonb := document::jsonb;
  one text;
BEGIN
  FOREACH one IN ARRAY paths LOOP left_over := left_over #- sq_path(one); END LOOP;
  RETURN left_over::text;
END $$;

-- The parts of an array or object, as `json_each` gives them; nothing for no JSON.
CREATE FUNCTION sq_each(document text, path text DEFAULT '$') RETURNS TABLE (key text, value text, type text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  WITH found AS (SELECT document::jsonb #> sq_path(path) AS part)
  SELECT e.key, sq_json(part::text, '$.' || e.key), sq_json_type(e.value::text)
    FROM found, jsonb_each(CASE jsonb_typeof(part) WHEN 'object' THEN part ELSE '{}' END) e
   WHERE position('.' IN e.key) = 0
  UNION ALL
  SELECT e.key, e.value #>> '{}', sq_json_type(e.value::text)
    FROM found, jsonb_each(CASE jsonb_typeof(part) WHEN 'object' THEN part ELSE '{}' END) e
   WHERE position('.' IN e.key) > 0
  UNION ALL
  SELECT (e.place - 1)::text, CASE jsonb_typeof(e.value) WHEN 'boolean' THEN sq_json(e.value::text, '$') ELSE e.value #>> '{}' END,
         sq_json_type(e.value::text)
    FROM found, jsonb_array_elements(CASE jsonb_typeof(part) WHEN 'array' THEN part ELSE '[]' END)
         WITH ORDINALITY AS e(value, place) $$;

-- The number that a text begins with, 0 without one.
CREATE FUNCTION sq_int(said text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(substring(said FROM '^\s*([+-]?\d{1,18})')::bigint, 0) $$;
CREATE FUNCTION sq_int(said bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT said $$;
CREATE FUNCTION sq_int(said double precision) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT trunc(said)::bigint $$;
CREATE FUNCTION sq_int(said numeric) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT trunc(said)::bigint $$;
CREATE FUNCTION sq_real(said text) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(substring(said FROM '^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)')::double precision, 0) $$;
CREATE FUNCTION sq_real(said double precision) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT said $$;

-- Seconds since 1970; NULL for no time.
CREATE FUNCTION sq_unixepoch(said text) RETURNS bigint LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN floor(extract(epoch FROM (CASE WHEN said ~ '(Z|[+-]\d\d:?\d\d)$' OR said = 'now' THEN said ELSE said || 'Z' END)::timestamptz));
EXCEPTION WHEN others THEN RETURN NULL;
END $$;
CREATE FUNCTION sq_julianday(said text) RETURNS double precision LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN extract(epoch FROM (CASE WHEN said ~ '(Z|[+-]\d\d:?\d\d)$' OR said = 'now' THEN said ELSE said || 'Z' END)::timestamptz)
    ::double precision / 86400 + 2440587.5;
EXCEPTION WHEN others THEN RETURN NULL;
END $$;

CREATE FUNCTION sq_substr(said text, start integer, wanted integer DEFAULT 2147483647) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN wanted < 0 THEN '' WHEN start > 0 THEN left(substr(said, start), wanted)
    WHEN start = 0 THEN left(said, greatest(wanted - 1, 0)) ELSE left(right(said, -start), wanted) END $$;
CREATE FUNCTION sq_unicode(said text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT nullif(ascii(said), 0)::bigint $$;
CREATE FUNCTION sq_hex(said bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT upper(encode(said, 'hex')) $$;
CREATE FUNCTION sq_hex(said text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT upper(encode(convert_to(said, 'UTF8'), 'hex')) $$;
CREATE FUNCTION sq_printf(form text, said bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT lpad(said::text, (substring(form FROM '^%0(\d+)d$'))::integer, '0') $$;

CREATE FUNCTION sq_columns(of text) RETURNS TABLE (name text, type text, "notnull" bigint, dflt_value text, pk bigint)
  LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
  SELECT a.attname::text, t.type, a.attnotnull::integer::bigint,
         CASE WHEN t.type IN ('INTEGER', 'REAL') THEN translate(t.preset, '''()', '') ELSE t.preset END, 0::bigint
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    CROSS JOIN LATERAL (
      SELECT CASE format_type(a.atttypid, NULL) WHEN 'bigint' THEN 'INTEGER' WHEN 'double precision' THEN 'REAL'
                  WHEN 'bytea' THEN 'BLOB' ELSE 'TEXT' END AS type,
             regexp_replace(pg_get_expr(d.adbin, d.adrelid), '::[a-z ]+$', '') AS preset) t
   WHERE a.attrelid = to_regclass(of) AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'rowid' ORDER BY a.attnum $$;

CREATE FUNCTION sq_format(form text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT replace(replace(replace(replace(replace(replace(replace(replace(form, 'T', '"T"'), 'Z', '"Z"'), '%Y', 'YYYY'), '%m', 'MM'),
    '%d', 'DD'), '%H', 'HH24'), '%M', 'MI'), '%f', 'SS.MS') $$;
-- A time in seconds since 1970, or `now`, as text.
CREATE FUNCTION sq_strftime(form text, seconds numeric, unit text) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
  SELECT to_char(to_timestamp(seconds) AT TIME ZONE 'UTC', sq_format(replace(form, '%S', 'SS'))) $$;
CREATE FUNCTION sq_strftime(form text, said text, shift text DEFAULT '0 seconds') RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
  SELECT to_char((said::timestamptz + shift::interval) AT TIME ZONE 'UTC', sq_format(replace(form, '%S', 'SS'))) $$;
