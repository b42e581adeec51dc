-- Things the memories speak of.
CREATE TABLE entities (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,        -- UUID; skills: skill:<agent>:<name>
  name TEXT NOT NULL,
  canonical_name TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  description TEXT,
  mentions INTEGER NOT NULL DEFAULT 0,
  embedding BLOB,
  agent_id TEXT NOT NULL DEFAULT 'default',
  community_id TEXT REFERENCES entity_communities (id) ON DELETE SET NULL,
  pinned INTEGER NOT NULL DEFAULT 0,       -- mirror of entity_pinning
  pinned_at TEXT,
  last_synthesized_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_entities_agent_canonical ON entities (agent_id, canonical_name);
CREATE INDEX idx_entities_canonical_name ON entities (canonical_name);
CREATE INDEX idx_entities_agent ON entities (agent_id, entity_type);
CREATE INDEX idx_entities_mentions ON entities (agent_id, mentions DESC);
CREATE INDEX idx_entities_pinned ON entities (agent_id, pinned, pinned_at DESC);
CREATE INDEX idx_entities_community ON entities (community_id);

CREATE TABLE relations (
  id TEXT PRIMARY KEY,
  source_entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  target_entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  relation_type TEXT NOT NULL,
  strength REAL DEFAULT 1.0,
  mentions INTEGER DEFAULT 1,
  confidence REAL DEFAULT 0.5,
  metadata TEXT,                  -- JSON
  created_at TEXT NOT NULL,
  updated_at TEXT
);
CREATE UNIQUE INDEX idx_relations_unique ON relations (source_entity_id, target_entity_id, relation_type);
CREATE INDEX idx_relations_source ON relations (source_entity_id);
CREATE INDEX idx_relations_target ON relations (target_entity_id);
CREATE INDEX idx_relations_composite ON relations (source_entity_id, relation_type);

CREATE TABLE memory_entity_mentions (
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  mention_text TEXT,
  confidence REAL,
  created_at TEXT,
  PRIMARY KEY (memory_id, entity_id)
);
CREATE INDEX idx_memory_entity_mentions_entity ON memory_entity_mentions (entity_id);

CREATE TABLE entity_aspects (
  id TEXT PRIMARY KEY,
  entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL DEFAULT 'default',
  aspect_name TEXT NOT NULL,
  canonical_name TEXT NOT NULL,
  description TEXT,
  confidence REAL DEFAULT 0.7,
  weight REAL NOT NULL DEFAULT 0.5,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_entity_aspects_unique ON entity_aspects (entity_id, canonical_name);
CREATE INDEX idx_entity_aspects_agent ON entity_aspects (agent_id, entity_id, weight DESC);

CREATE TABLE entity_attributes (
  id TEXT PRIMARY KEY,
  aspect_id TEXT REFERENCES entity_aspects (id) ON DELETE SET NULL,   -- null: not yet classified
  entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL DEFAULT 'default',
  attribute_key TEXT,
  attribute_value TEXT NOT NULL,
  normalized_value TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'attribute',  -- attribute, constraint
  confidence REAL NOT NULL DEFAULT 0,
  importance REAL NOT NULL DEFAULT 0.5,
  status TEXT NOT NULL DEFAULT 'active',   -- active, superseded, deleted
  superseded_by TEXT REFERENCES entity_attributes (id) ON DELETE SET NULL,
  source_memory_id TEXT REFERENCES memories (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_entity_attributes_unique ON entity_attributes (aspect_id, normalized_value)
  WHERE status = 'active';
CREATE INDEX idx_entity_attributes_aspect ON entity_attributes (aspect_id, status, importance DESC);
CREATE INDEX idx_entity_attributes_entity ON entity_attributes (entity_id, kind, status);
CREATE INDEX idx_entity_attributes_agent ON entity_attributes (agent_id);
CREATE INDEX idx_entity_attributes_memory ON entity_attributes (source_memory_id);
CREATE INDEX idx_entity_attributes_superseded_by ON entity_attributes (superseded_by);

CREATE TABLE entity_dependencies (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  source_entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  target_entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  dependency_type TEXT NOT NULL,
  strength REAL NOT NULL DEFAULT 0.5,
  confidence REAL DEFAULT 0.7,
  reason TEXT,
  aspect_id TEXT REFERENCES entity_aspects (id) ON DELETE SET NULL,
  metadata TEXT,                  -- JSON
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (source_entity_id <> target_entity_id)
);
CREATE UNIQUE INDEX idx_entity_dependencies_unique
  ON entity_dependencies (agent_id, source_entity_id, target_entity_id, dependency_type);
CREATE INDEX idx_entity_dependencies_source ON entity_dependencies (source_entity_id);
CREATE INDEX idx_entity_dependencies_target ON entity_dependencies (target_entity_id);
CREATE INDEX idx_entity_dependencies_agent_target ON entity_dependencies (agent_id, target_entity_id);

-- A person's word on an entity: show it more, or not at all.
CREATE TABLE entity_pinning (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  pin_type TEXT NOT NULL CHECK (pin_type IN ('pin', 'suppress')),
  weight_override REAL CHECK (weight_override BETWEEN 0 AND 2),
  reason TEXT,
  created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_entity_pinning_unique ON entity_pinning (agent_id, entity_id);
CREATE INDEX idx_entity_pinning_entity ON entity_pinning (entity_id);

CREATE TABLE entity_communities (
  id TEXT PRIMARY KEY,            -- community_<agent>_<n>
  agent_id TEXT NOT NULL DEFAULT 'default',
  name TEXT,
  cohesion REAL DEFAULT 0,
  member_count INTEGER DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX idx_entity_communities_agent ON entity_communities (agent_id);

CREATE TABLE community_runs (
  agent_id TEXT PRIMARY KEY DEFAULT 'default',
  modularity REAL,
  quality TEXT,                   -- strong, moderate, fragmented
  graph_signature TEXT,           -- unchanged: the next run is skipped
  ran_at TEXT
);

-- Facts of an entity of type task.
CREATE TABLE task_meta (
  entity_id TEXT PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL DEFAULT 'default',
  task_type TEXT,
  priority TEXT,
  status TEXT NOT NULL DEFAULT 'open'
    CHECK (status IN ('open', 'in_progress', 'blocked', 'done', 'cancelled')),
  due_at TEXT,
  context_json TEXT,
  expires_at TEXT,
  retention_until TEXT,
  completed_at TEXT,
  created_at TEXT,
  updated_at TEXT NOT NULL
);
CREATE INDEX idx_task_meta_status ON task_meta (agent_id, status);
CREATE INDEX idx_task_meta_due ON task_meta (due_at);
CREATE INDEX idx_task_meta_retention ON task_meta (retention_until);

-- Facts of an entity of type skill.
CREATE TABLE skill_meta (
  entity_id TEXT PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL DEFAULT 'default',
  version TEXT,
  author TEXT,
  license TEXT,
  source TEXT NOT NULL,
  role TEXT DEFAULT 'utility',
  triggers TEXT,                  -- JSON
  tags TEXT,                      -- JSON
  permissions TEXT,               -- JSON
  dependencies TEXT,              -- JSON: names of skills that it needs
  fingerprint TEXT,               -- SHA-256 of the SKILL.md that this was read from
  adopted TEXT,                   -- JSON: what the entity was before the skill took it over
  enriched INTEGER DEFAULT 0,
  installed_at TEXT NOT NULL,
  last_used_at TEXT,
  use_count INTEGER DEFAULT 0,
  importance REAL DEFAULT 0.7,
  decay_rate REAL DEFAULT 0.99,
  fs_path TEXT NOT NULL,
  uninstalled_at TEXT
);
CREATE INDEX idx_skill_meta_agent ON skill_meta (agent_id);
CREATE INDEX idx_skill_meta_source ON skill_meta (source);
