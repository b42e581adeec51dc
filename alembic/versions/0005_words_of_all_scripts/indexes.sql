-- The indexes of full text, their views and their triggers, as this revision released them. Statements are separated
-- by an empty line. What the program makes today stands in the code; this file is never changed.

DROP TRIGGER IF EXISTS memories_ai;

DROP TRIGGER IF EXISTS memories_ad;

DROP TRIGGER IF EXISTS memories_au;

DROP TRIGGER IF EXISTS memories_bd;

DROP TRIGGER IF EXISTS memories_bu;

DROP TRIGGER IF EXISTS memories_fts_new_ai;

DROP TRIGGER IF EXISTS memories_fts_new_ad;

DROP TRIGGER IF EXISTS memories_fts_new_au;

DROP TRIGGER IF EXISTS memories_fts_new_bd;

DROP TRIGGER IF EXISTS memories_fts_new_bu;

DROP TABLE IF EXISTS memories_fts;

DROP TABLE IF EXISTS memories_fts_new;

DROP TABLE IF EXISTS memories_fts_filled;

DROP VIEW IF EXISTS memories_words;

CREATE VIEW memories_words AS SELECT seq, CASE WHEN length(CAST(source.content AS BLOB)) = length(source.content) THEN source.content ELSE replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN source.content GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.content, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.content, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(
               CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE source.content END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') END AS content FROM memories AS source;

CREATE VIRTUAL TABLE memories_fts USING fts5(content, content = 'memories_words', content_rowid = 'seq', tokenize = 'porter unicode61');

CREATE TRIGGER memories_bd BEFORE DELETE ON memories BEGIN INSERT INTO memories_fts (memories_fts, rowid, content) SELECT 'delete', seq, content FROM memories_words WHERE seq = old.seq; END;

CREATE TRIGGER memories_ai AFTER INSERT ON memories BEGIN INSERT INTO memories_fts (rowid, content) SELECT seq, content FROM memories_words WHERE seq = new.seq; END;

CREATE TRIGGER memories_bu BEFORE UPDATE OF content ON memories BEGIN INSERT INTO memories_fts (memories_fts, rowid, content) SELECT 'delete', seq, content FROM memories_words WHERE seq = old.seq; END;

CREATE TRIGGER memories_au AFTER UPDATE OF content ON memories BEGIN INSERT INTO memories_fts (rowid, content) SELECT seq, content FROM memories_words WHERE seq = new.seq; END;

INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');

DROP TRIGGER IF EXISTS memory_hints_fts_ai;

DROP TRIGGER IF EXISTS memory_hints_fts_ad;

DROP TRIGGER IF EXISTS memory_hints_fts_au;

DROP TRIGGER IF EXISTS memory_hints_fts_bd;

DROP TRIGGER IF EXISTS memory_hints_fts_bu;

DROP TRIGGER IF EXISTS memory_hints_fts_new_ai;

DROP TRIGGER IF EXISTS memory_hints_fts_new_ad;

DROP TRIGGER IF EXISTS memory_hints_fts_new_au;

DROP TRIGGER IF EXISTS memory_hints_fts_new_bd;

DROP TRIGGER IF EXISTS memory_hints_fts_new_bu;

DROP TABLE IF EXISTS memory_hints_fts;

DROP TABLE IF EXISTS memory_hints_fts_new;

DROP TABLE IF EXISTS memory_hints_fts_filled;

DROP VIEW IF EXISTS memory_hints_words;

CREATE VIEW memory_hints_words AS SELECT seq, CASE WHEN length(CAST(source.hint AS BLOB)) = length(source.hint) THEN source.hint ELSE replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN source.hint GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.hint, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.hint, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(
               CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE source.hint END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') END AS hint FROM memory_hints AS source;

CREATE VIRTUAL TABLE memory_hints_fts USING fts5(hint, content = 'memory_hints_words', content_rowid = 'seq', tokenize = 'porter unicode61');

CREATE TRIGGER memory_hints_fts_bd BEFORE DELETE ON memory_hints BEGIN INSERT INTO memory_hints_fts (memory_hints_fts, rowid, hint) SELECT 'delete', seq, hint FROM memory_hints_words WHERE seq = old.seq; END;

CREATE TRIGGER memory_hints_fts_ai AFTER INSERT ON memory_hints BEGIN INSERT INTO memory_hints_fts (rowid, hint) SELECT seq, hint FROM memory_hints_words WHERE seq = new.seq; END;

CREATE TRIGGER memory_hints_fts_bu BEFORE UPDATE OF hint ON memory_hints BEGIN INSERT INTO memory_hints_fts (memory_hints_fts, rowid, hint) SELECT 'delete', seq, hint FROM memory_hints_words WHERE seq = old.seq; END;

CREATE TRIGGER memory_hints_fts_au AFTER UPDATE OF hint ON memory_hints BEGIN INSERT INTO memory_hints_fts (rowid, hint) SELECT seq, hint FROM memory_hints_words WHERE seq = new.seq; END;

INSERT INTO memory_hints_fts (memory_hints_fts) VALUES ('rebuild');

DROP TRIGGER IF EXISTS entities_fts_ai;

DROP TRIGGER IF EXISTS entities_fts_ad;

DROP TRIGGER IF EXISTS entities_fts_au;

DROP TRIGGER IF EXISTS entities_fts_bd;

DROP TRIGGER IF EXISTS entities_fts_bu;

DROP TRIGGER IF EXISTS entities_fts_new_ai;

DROP TRIGGER IF EXISTS entities_fts_new_ad;

DROP TRIGGER IF EXISTS entities_fts_new_au;

DROP TRIGGER IF EXISTS entities_fts_new_bd;

DROP TRIGGER IF EXISTS entities_fts_new_bu;

DROP TABLE IF EXISTS entities_fts;

DROP TABLE IF EXISTS entities_fts_new;

DROP TABLE IF EXISTS entities_fts_filled;

DROP VIEW IF EXISTS entities_words;

CREATE VIEW entities_words AS SELECT seq, CASE WHEN length(CAST(source.name AS BLOB)) = length(source.name) THEN source.name ELSE replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN source.name GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.name, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.name, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(
               CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE source.name END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') END AS name, CASE WHEN length(CAST(source.canonical_name AS BLOB)) = length(source.canonical_name) THEN source.canonical_name ELSE replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN source.canonical_name GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.canonical_name, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.canonical_name, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(
               CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE source.canonical_name END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') END AS canonical_name FROM entities AS source;

CREATE VIRTUAL TABLE entities_fts USING fts5(name, canonical_name, content = 'entities_words', content_rowid = 'seq', tokenize = 'unicode61');

CREATE TRIGGER entities_fts_bd BEFORE DELETE ON entities BEGIN INSERT INTO entities_fts (entities_fts, rowid, name, canonical_name) SELECT 'delete', seq, name, canonical_name FROM entities_words WHERE seq = old.seq; END;

CREATE TRIGGER entities_fts_ai AFTER INSERT ON entities BEGIN INSERT INTO entities_fts (rowid, name, canonical_name) SELECT seq, name, canonical_name FROM entities_words WHERE seq = new.seq; END;

CREATE TRIGGER entities_fts_bu BEFORE UPDATE OF name, canonical_name ON entities BEGIN INSERT INTO entities_fts (entities_fts, rowid, name, canonical_name) SELECT 'delete', seq, name, canonical_name FROM entities_words WHERE seq = old.seq; END;

CREATE TRIGGER entities_fts_au AFTER UPDATE OF name, canonical_name ON entities BEGIN INSERT INTO entities_fts (rowid, name, canonical_name) SELECT seq, name, canonical_name FROM entities_words WHERE seq = new.seq; END;

INSERT INTO entities_fts (entities_fts) VALUES ('rebuild');

DROP TRIGGER IF EXISTS episode_chunks_ai;

DROP TRIGGER IF EXISTS episode_chunks_ad;

DROP TRIGGER IF EXISTS episode_chunks_au;

DROP TRIGGER IF EXISTS episode_chunks_bd;

DROP TRIGGER IF EXISTS episode_chunks_bu;

DROP TRIGGER IF EXISTS episode_chunks_fts_new_ai;

DROP TRIGGER IF EXISTS episode_chunks_fts_new_ad;

DROP TRIGGER IF EXISTS episode_chunks_fts_new_au;

DROP TRIGGER IF EXISTS episode_chunks_fts_new_bd;

DROP TRIGGER IF EXISTS episode_chunks_fts_new_bu;

DROP TABLE IF EXISTS episode_chunks_fts;

DROP TABLE IF EXISTS episode_chunks_fts_new;

DROP TABLE IF EXISTS episode_chunks_fts_filled;

DROP VIEW IF EXISTS episode_chunks_words;

CREATE VIEW episode_chunks_words AS SELECT seq, CASE WHEN length(CAST(source.content AS BLOB)) = length(source.content) THEN source.content ELSE replace(replace(replace(replace(replace(replace(replace(replace(CASE WHEN source.content GLOB '*[⺀-𳎿]*' THEN (
      WITH RECURSIVE
        place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 32),
        piece (number, part) AS (
          SELECT 0, substr(source.content, 1, 32 + 1)
          UNION ALL
          SELECT number + 1, substr(source.content, (number + 1) * 32 + 1, 32 + 1)
            FROM piece WHERE length(part) > 32)
      SELECT group_concat(
               CASE WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿][々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]' THEN ' ' || two || ' '
                    WHEN two GLOB '[々〇ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𳎿]*' THEN ' ' || substr(two, 1, 1) || ' '
                    ELSE substr(two, 1, 1) END, '')
        FROM (SELECT substr(part, at, 2) AS two FROM piece CROSS JOIN place WHERE at <= length(part))) ELSE source.content END, 'ß', 'ss'), 'ẞ', 'ss'), 'ё', 'е'), 'Ё', 'Е'), 'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE') END AS content FROM episode_chunks AS source;

CREATE VIRTUAL TABLE episode_chunks_fts USING fts5(content, content = 'episode_chunks_words', content_rowid = 'seq', tokenize = 'porter unicode61');

CREATE TRIGGER episode_chunks_bd BEFORE DELETE ON episode_chunks BEGIN INSERT INTO episode_chunks_fts (episode_chunks_fts, rowid, content) SELECT 'delete', seq, content FROM episode_chunks_words WHERE seq = old.seq; END;

CREATE TRIGGER episode_chunks_ai AFTER INSERT ON episode_chunks BEGIN INSERT INTO episode_chunks_fts (rowid, content) SELECT seq, content FROM episode_chunks_words WHERE seq = new.seq; END;

CREATE TRIGGER episode_chunks_bu BEFORE UPDATE OF content ON episode_chunks BEGIN INSERT INTO episode_chunks_fts (episode_chunks_fts, rowid, content) SELECT 'delete', seq, content FROM episode_chunks_words WHERE seq = old.seq; END;

CREATE TRIGGER episode_chunks_au AFTER UPDATE OF content ON episode_chunks BEGIN INSERT INTO episode_chunks_fts (rowid, content) SELECT seq, content FROM episode_chunks_words WHERE seq = new.seq; END;

INSERT INTO episode_chunks_fts (episode_chunks_fts) VALUES ('rebuild');
