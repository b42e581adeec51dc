/** Answers of the daemon. Written by `python -m signet_api.dashboard.typescript`; not to be edited. */

export interface Candidate {
  id: string;
  score: number;
  pinned: boolean;
  version: number;
}

export interface Change {
  id: string;
  event: string;
  oldContent: string | null;
  newContent: string | null;
  changedBy: string;
  actorType: string | null;
  reason: string | null;
  metadata: Record<string, unknown> | string | null;
  createdAt: string;
  sessionId: string | null;
  requestId: string | null;
}

export interface Channel {
  score: number;
  rank?: number;
  bm25?: number;
  words?: number;
}

export interface Followed {
  id: string;
  content: string;
}

export interface ForgetPreview {
  alongCount?: number;
  along?: Followed[];
  staying?: Stayed[];
  success: boolean;
  mode: "preview";
  count: number;
  total: number;
  requiresConfirm: boolean;
  confirmToken: string;
  candidates: Candidate[];
}

export interface Forgetting {
  by: string;
  reason: string | null;
  until: string | null;
}

export interface ForgottenMany {
  success: boolean;
  mode: "execute";
  requested: number;
  deleted: number;
  count: number;
  total: number;
  pinned: number;
  results: Modified[];
  backup?: string | null;
  backupSkipped?: string;
}

export interface Found {
  id: string;
  content: string;
  type: string;
  created_at: string;
  tags: string | string[] | null;
  score?: number;
  confidence?: number | null;
  who?: string | null;
  importance?: number;
  pinned?: boolean;
}

export interface FoundMany {
  results: Found[];
}

export interface Health {
  status: string;
  uptime: number;
  pid: number;
  version: string;
  port: number;
  agentsDir: string;
  db: boolean;
  reasons: string[];
  updateAvailable: boolean;
  pendingRestart: string | null;
}

export interface History {
  memoryId: string;
  count: number;
  history: Change[];
}

export interface Hit {
  id: string;
  content: string;
  content_length: number;
  truncated: boolean;
  score: number;
  source: string;
  type: string;
  tags: string | null;
  pinned: boolean;
  importance: number;
  who: string | null;
  project: string | null;
  created_at: string;
  source_type: string | null;
  source_id: string | null;
  accessCount: number;
  lastAccessed: string | null;
  event_at?: string;
  valid_from?: string;
  valid_to?: string;
  superseded?: boolean;
  superseded_by?: string;
  supplementary?: boolean;
  parts?: Part[];
  more?: string;
  explain?: Why;
}

export interface KeyCount {
  key: string;
  count: number;
}

export interface Memory {
  id: string;
  content: string;
  type: string;
  importance: number;
  tags: string | null;
  pinned: number;
  who: string | null;
  source_id: string | null;
  source_type: string | null;
  project: string | null;
  session_id: string | null;
  sessionId: string | null;
  confidence: number | null;
  access_count: number;
  last_accessed: string | null;
  is_deleted: number;
  deleted_at: string | null;
  extraction_status: string | null;
  embedding_model: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  updated_by: string | null;
  agent_id: string;
  visibility: string;
  scope: string | null;
  event_at: string | null;
  valid_from: string | null;
  valid_to: string | null;
  superseded_by: string | null;
}

export interface MemoryPage {
  memories: MemorySummary[];
  next: string | null;
  stats?: MemoryStats;
  total?: number;
  facets?: Record<string, KeyCount[]>;
}

export interface MemoryStats {
  total: number;
  withEmbeddings: number;
  critical: number;
}

export interface MemorySummary {
  id: string;
  content: string;
  created_at: string;
  who: string | null;
  importance: number;
  tags: string | null;
  source_type: string | null;
  pinned: boolean;
  type: string;
  updated_at: string;
  project: string | null;
  agent_id: string;
  visibility: string;
  scope: string | null;
  session_id: string | null;
  source_id: string | null;
  event_at: string | null;
  valid_from: string | null;
  valid_to: string | null;
  superseded_by: string | null;
  access_count: number;
  last_accessed: string | null;
  version: number;
  deleted_at: string | null;
  has_vector: boolean;
  forgotten?: Forgetting;
}

export interface Modified {
  alongCount?: number;
  along?: Followed[];
  staying?: Stayed[];
  success: boolean;
  id: string | null;
  status: string;
  currentVersion?: number;
  newVersion?: number;
  contentChanged?: boolean;
  embedded?: boolean;
  masked?: string[];
  duplicateMemoryId?: string;
  error?: string;
}

export interface Nearest {
  id: string;
  content: string;
  content_length: number;
  truncated: boolean;
  score: number;
  source: string;
  type: string;
  tags: string | null;
  pinned: boolean;
  importance: number;
  who: string | null;
  project: string | null;
  created_at: string;
  source_type: string | null;
  source_id: string | null;
  accessCount: number;
  lastAccessed: string | null;
  event_at?: string;
  valid_from?: string;
  valid_to?: string;
  superseded?: boolean;
  superseded_by?: string;
  supplementary?: boolean;
  parts?: Part[];
  more?: string;
  explain?: Why;
  left_out: string;
}

export interface Part {
  id: string;
  kind: string;
  content: string;
}

export interface RecallStats {
  total: number;
  searchTime: number;
}

export interface Recalled {
  results: Hit[];
  query: string;
  method: string;
  memories: Hit[];
  count: number;
  stats: RecallStats;
  nearest?: Nearest;
  entities?: Record<string, unknown>[];
  sources?: Record<string, string>;
  time?: Record<string, unknown>;
  explain?: Record<string, unknown>;
  degraded?: string[];
}

export interface Recovered {
  alongCount?: number;
  along?: Followed[];
  staying?: Stayed[];
  success: boolean;
  id: string | null;
  status: string;
  currentVersion?: number;
  newVersion?: number;
  contentChanged?: boolean;
  embedded?: boolean;
  masked?: string[];
  duplicateMemoryId?: string;
  error?: string;
  retentionDays: number;
}

export interface Remembered {
  success: boolean;
  id: string;
  memoryId: string;
  type: string;
  tags: string | null;
  pinned: boolean;
  importance: number;
  content: string;
  embedded: boolean;
  deduped: boolean;
  entities_linked: number;
  hints_written: number;
  superseded?: string[];
  masked?: string[];
  chunked?: boolean;
  chunk_count?: number;
  ids?: string[];
  group_id?: string | null;
}

export interface Stage {
  stage: string;
  before: number;
  after: number;
}

export interface Stayed {
  id: string;
  content: string;
  why: string;
}

export interface Why {
  relevance?: number;
  channels: Record<string, Channel>;
  stages: Stage[];
}
