/** Answers of the daemon. Written by `python -m dashboard.typescript`; not to be edited. */

export interface Access {
  memoryId: string;
  owner: string;
  visibility: string;
  project: string | null;
  scope: string | null;
  agents: AgentAccess[];
}

export interface Advice {
  domain: string;
  reason: string;
  command: string | null;
  points: number;
  passes: boolean;
}

export interface AgentAccess {
  id: string;
  name: string;
  reads: boolean;
  rule: string;
  says: string;
}

export interface Agents {
  agents: CountedAgent[];
}

export interface AsPrompt {
  text: string;
  chars: number;
  tokens: number;
}

export interface Aspect {
  id: string;
  entityId: string;
  agentId: string;
  name: string;
  canonicalName: string;
  weight: number;
  createdAt: string;
  updatedAt: string;
}

export interface Aspects {
  items: CountedAspect[];
}

export interface Attribute {
  id: string;
  aspectId: string;
  agentId: string;
  memoryId: string | null;
  kind: string;
  content: string;
  normalizedContent: string;
  confidence: number;
  importance: number;
  status: string;
  supersededBy: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface AttributePage {
  items: Attribute[];
  limit: number;
  offset: number;
}

export interface Bypassed {
  key: string;
  bypassed: boolean;
}

export interface Candidate {
  id: string;
  score: number;
  pinned: boolean;
  version: number;
  content: string;
  type: string;
  who: string | null;
  tags: string | null;
  created_at: string;
  why: string;
}

export interface Capture {
  harnesses: HarnessCapture[];
  unknownRecords: UnknownRecords[];
  truncatedSessions: number;
}

export interface ChangedConfig {
  success: boolean;
  file: string;
  hash: string;
  restartRequired: string[];
}

export interface ChangedJobs {
  success: boolean;
  affected: number;
  ids: string[];
  more: boolean;
  dryRun: boolean;
}

export interface Channel {
  score: number;
  says: string;
  rank?: number;
  bm25?: number;
  words?: number;
  matched?: Record<string, number>;
}

export interface ConfigFile {
  name: string;
  content: string;
  size: number;
  hash: string;
}

export interface ConfigFiles {
  files: ConfigFile[];
  error?: string;
}

export interface ConfigSchema {
  settings: Setting[];
  count: number;
  file: string;
  hash: string;
}

export interface Confirmation {
  code: string;
  expiresAt: string;
}

export interface Connector {
  id: string;
  provider: string;
  display_name: string | null;
  config_json: string;
  cursor_json: string | null;
  status: string;
  last_sync_at: string | null;
  last_error: string | null;
  created_at: string;
  updated_at: string;
  agent_id: string;
  progress_json: string | null;
  settings: Record<string, unknown>;
  cursor: Record<string, unknown> | null;
  progress: SyncProgress | null;
}

export interface Connectors {
  connectors: Connector[];
  count: number;
}

export interface ContextInjection {
  phase: string;
  prompt: number;
  at: string;
  turn: number | null;
  message: string | null;
  chars: number;
  tokens: number;
  bestScore: number | null;
  floor: number | null;
  given: ContextItem[];
  leftOut: ContextItem[];
}

export interface ContextItem {
  kind: string;
  id: string;
  reason: string;
  says: string;
  project: string | null;
  score: number | null;
  saidAt: string | null;
  chars: number;
  tokens: number;
  use: "used" | "not used" | "not known yet" | null;
  usedBy: "named" | "quoted" | "values" | "words" | null;
  usedIn: UsedIn | null;
  state: "kept" | "changed" | "forgotten" | "gone" | "none";
  text: string | null;
  sourceType: string | null;
  sourceId: string | null;
}

export interface ContextTotals {
  prompts: number;
  given: number;
  used: number;
  notUsed: number;
  unknown: number;
  leftOut: number;
  chars: number;
  tokens: number;
}

export interface CountedAgent {
  id: string;
  name: string;
  read_policy: string;
  reads: string;
  policy_group: string | null;
  created_at: string;
  updated_at: string;
  memories: number;
}

export interface CountedAspect {
  aspect: Aspect;
  attributeCount: number;
  constraintCount: number;
}

export interface Dependencies {
  items: EntityDependency[];
}

export interface Diagnoses {
  timestamp: string;
  composite: Diagnosis;
  queue: Diagnosis;
  storage: Diagnosis;
  index: Diagnosis;
  provider: Diagnosis;
  mutation: Diagnosis;
  connector: Diagnosis;
  duplicate: Diagnosis;
  update: Diagnosis;
  predictor: Diagnosis;
}

export interface Diagnosis {
  score: number;
  status: string;
  reasons: string[];
  help?: Advice[];
}

export interface Difference {
  corrections: Interval | null;
  askedAgain: Interval | null;
  prompts: Interval | null;
}

export interface DigestItem {
  kind: "decided" | "changed" | "open";
  text: string;
  before: string;
  at: string;
  openBy: string;
  id: string;
  isMemory: boolean;
}

export interface DiskPart {
  part: string;
  bytes: number;
}

export interface Document {
  id: string;
  source_url: string | null;
  source_type: string;
  content_type: string | null;
  content_hash: string | null;
  title: string | null;
  raw_content: string | null;
  status: string;
  error: string | null;
  connector_id: string | null;
  chunk_count: number;
  memory_count: number;
  metadata_json: string | null;
  created_at: string;
  updated_at: string;
  completed_at: string | null;
  agent_id: string;
  source_stamp: string | null;
  metadata: Record<string, unknown> | null;
}

export interface DocumentPage {
  documents: Document[];
  total: number;
  limit: number;
  offset: number;
}

export interface EmbeddingNode {
  id: string;
  content: string;
  who: string;
  importance: number;
  type: string | null;
  tags: string[];
  sourceType: string;
  sourceId: string;
  createdAt: string;
  x: number;
  y: number;
  z?: number;
  pinned: boolean;
}

export interface EmbeddingState {
  provider: string;
  model: string | null;
  available: boolean;
  total: number;
  embedded: number;
}

export interface EntityCounts {
  aspectCount: number;
  attributeCount: number;
  constraintCount: number;
  dependencyCount: number;
}

export interface EntityDependency {
  id: string;
  direction: string;
  dependencyType: string;
  strength: number;
  confidence: number | null;
  reason: string | null;
  aspectId: string | null;
  sourceEntityId: string;
  sourceEntityName: string;
  targetEntityId: string;
  targetEntityName: string;
  createdAt: string;
  updatedAt: string;
}

export interface EntitySkill {
  version: string | null;
  author: string | null;
  license: string | null;
  source: string;
  role: string | null;
  triggers: string | null;
  tags: string | null;
  permissions: string | null;
  enriched: number;
  installedAt: string;
  lastUsedAt: string | null;
  useCount: number;
  importance: number;
  fsPath: string;
  uninstalledAt: string | null;
}

export interface EntityTask {
  taskType: string | null;
  priority: string | null;
  status: string;
  dueAt: string | null;
  context: string | null;
  expiresAt: string | null;
  retentionUntil: string | null;
  completedAt: string | null;
}

export interface Evaluation {
  sessions: number;
  neededSessions: number;
  neededWithout: number;
  isEnough: boolean;
  holdout: number;
  withMemory: SomeSessions;
  withoutMemory: SomeSessions;
  difference: Difference;
  tokens: GivenTokens;
  unused: Told[];
  misleading: Told[];
  missed: Told[];
  helpful: Told[];
  prompts: number;
  unanswered: number;
}

export interface Explanation {
  relevance?: number;
  channels: Record<string, Channel>;
  stages: Stage[];
  neighbours?: string[];
  path?: string[];
  helped?: Helped;
}

export interface Followed {
  id: string;
  content: string;
}

export interface ForgetPreview {
  alongCount?: number;
  along?: Followed[];
  staying?: Stayed[];
  heldBy?: string[];
  success: boolean;
  mode: "preview";
  count: number;
  total: number;
  requiresConfirm: boolean;
  confirmToken: string;
  candidates: Candidate[];
  similar: Candidate[];
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

export interface FoundMany {
  results: FoundMemory[];
}

export interface FoundMemory {
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

export interface GivenTokens {
  given: number;
  used: number;
  wasted: number;
  perSession: number;
}

export interface GraphColumns {
  ids: string[];
  names: string[];
  kinds: number[];
  mentions: number[];
  communities: number[];
  pinned: number[];
  kindNames: string[];
  communityNames: string[];
  sources: number[];
  targets: number[];
  total: number;
}

export interface HarnessCapture {
  harness: string;
  lastMessageAt: string | null;
  emptySession: string | null;
}

export interface Harnesses {
  harnesses: KnownHarness[];
}

export interface Health {
  status: string;
  uptime: number;
  pid: number;
  version: string;
  port: number;
  agentsDir?: string;
  db: boolean;
  reasons: string[];
  updateAvailable: boolean;
  pendingRestart: string | null;
}

export interface Helped {
  times: number;
  of: number;
}

export interface History {
  memoryId: string;
  count: number;
  history: MemoryChange[];
}

export interface Home {
  reviews: WaitingMemories;
  projects: ListedProject[];
  digest: ProjectDigest[];
  imported: KeyCount[];
  kept?: number;
  forgotten?: MemoryPage;
}

export interface Interval {
  mean: number;
  low: number | null;
  high: number | null;
}

export interface IssuedToken {
  token: string;
  expiresAt: string;
  jti: string;
}

export interface Job {
  id: string;
  memory_id: string | null;
  document_id: string | null;
  job_type: string;
  says: string;
  queue: string;
  status: string;
  attempt_count: number;
  attempts: number;
  max_attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  last_error_code: string | null;
  error: string | null;
  result: unknown;
  leased_at: string | null;
  completed_at: string | null;
  failed_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface JobCount {
  key: string;
  count: number;
  says: string;
}

export interface Jobs {
  jobs: Job[];
  count: number;
  next: string | null;
  total?: number;
  facets?: Record<string, JobCount[]>;
}

export interface KeyCount {
  key: string;
  count: number;
  says?: string;
}

export interface KnownHarness {
  name: string;
  id: string;
  path: string;
  exists: boolean;
  lastSeen: string | null;
  connected: boolean;
  plugin: boolean;
  problems: string[];
  notices: string[];
}

export interface KnownRepair {
  action: string;
  path: string;
  help: string;
  noun: string;
  options: RepairOption[];
  filters: string[];
  looksFirst: boolean;
  needsWorker: boolean;
  recommended: string | null;
  lastRunAt: string | null;
  waitMs: number;
  runsLeft: number;
  runsPerHour: number;
}

export interface LinkedEntity {
  id: string;
  name: string;
  entityType: string;
}

export interface Links {
  memoryId: string;
  sources: Followed[];
  distilled: Followed[];
  corrects: Followed[];
  correctedBy: Followed | null;
  entities: LinkedEntity[];
}

export interface ListedProject {
  project: string;
  memories: number;
  sessions: number;
  lastAt: string | null;
}

export interface ListedSession {
  title: string | null;
  outcome: string | null;
  decisions: string[];
  files: string[];
  key: string;
  agentId: string;
  harness: string | null;
  project: string | null;
  startedAt: string;
  lastAt: string;
  endedAt: string | null;
  seconds: number;
  bypassed: boolean;
  prompts: number;
  given: number;
  used: number;
  tokens: number;
}

export interface LogFiles {
  logDir: string;
  logFile: string;
}

export interface LogLines {
  logs: Record<string, unknown>[];
  count: number;
}

export interface MemoryChange {
  by?: string;
  why?: string | null;
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
  says: string;
  created_at: string;
  who: string | null;
  importance: number;
  tags: string | null;
  source_type: string | null;
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
  origin: string;
  review: string | null;
  pinned: boolean;
  has_vector: boolean;
  forgotten?: Forgetting;
}

export interface MemoryUsage {
  memoryId: string;
  accessCount: number;
  lastAccessed: string | null;
  uses: MemoryUse[];
  count: number;
}

export interface MemoryUse {
  sessionKey: string;
  agentId: string;
  harness: string;
  project: string | null;
  phase: string;
  prompt: number;
  at: string;
  given: boolean;
  reason: string;
  score: number | null;
  use: "used" | "not used" | "not known yet" | null;
}

export interface MergedMemory {
  id: string;
  kind: string;
  content: string;
}

export interface Modified {
  alongCount?: number;
  along?: Followed[];
  staying?: Stayed[];
  heldBy?: string[];
  success: boolean;
  id: string | null;
  status: string;
  currentVersion?: number;
  newVersion?: number;
  contentChanged?: boolean;
  embedded?: boolean;
  masked?: string[];
  lifted?: string[];
  duplicateMemoryId?: string;
  error?: string;
}

export interface ModifiedMany {
  success: boolean;
  total: number;
  updated: number;
  results: Modified[];
}

export interface NearestMiss {
  id: string;
  content: string;
  says: string;
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
  origin?: string;
  review?: string;
  shared?: SharedBy;
  event_at?: string;
  valid_from?: string;
  valid_to?: string;
  superseded?: boolean;
  superseded_by?: string;
  newer?: Newer;
  supplementary?: boolean;
  highlights?: number[][];
  title?: string;
  parts?: MergedMemory[];
  more?: string;
  explain?: Explanation;
  left_out: string;
}

export interface Newer {
  id: string;
  since: string;
  says: string;
  replaces: string;
  is_part: boolean;
}

export interface OmittedMemory {
  id: string;
  left_out: string;
  place?: number;
  score?: number;
  explain?: Explanation;
}

export interface Paused {
  success: boolean;
  paused: boolean;
  pauses: (Record<string, string | null>)[];
}

export interface Predecessor {
  id: string;
  content: string;
}

export interface PredictorModel {
  trained: boolean;
  training_pairs: number;
  model_version: number | null;
  last_trained: string | null;
  native_dimensions: number;
  feature_dimensions: number;
}

export interface PredictorOff {
  enabled: boolean;
  status: null;
}

export interface PredictorState {
  alpha: number;
  successRate: number;
  coldStartExited: boolean;
  sessions: number;
  minSessions: number;
  activeVersion: number | null;
  lastRollback: string | null;
  wins: number;
  losses: number;
  ties: number;
  evidence: number;
  enoughEvidence: number;
}

export interface PredictorStatus {
  enabled: boolean;
  alive: boolean;
  crashCount: number;
  crashDisabled: boolean;
  status: PredictorModel;
  state: PredictorState;
}

export interface ProcessCost {
  name: string;
  pid: number | null;
  uptime: number | null;
  restarts: number;
  memoryBytes: number | null;
  cpuSeconds: number | null;
}

export interface ProductPage {
  content: string;
  html?: string;
  source: string;
  cachedAt: number;
}

export interface ProjectDigest {
  project: string;
  sessions: ListedSession[];
  items: DigestItem[];
}

export interface Projection {
  status: string;
  dimensions: number;
  count: number;
  total: number;
  limit?: number;
  offset?: number;
  hasMore?: boolean;
  nodes?: EmbeddingNode[];
  edges?: number[][];
  cachedAt?: string | null;
  sampled?: boolean;
}

export interface ProjectionColumns {
  status: string;
  count: number;
  total: number;
  ids: string[];
  x: number[];
  y: number[];
  types: number[];
  typeNames: string[];
}

export interface Projects {
  projects: ListedProject[];
}

export interface RecallResult {
  id: string;
  content: string;
  says: string;
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
  origin?: string;
  review?: string;
  shared?: SharedBy;
  event_at?: string;
  valid_from?: string;
  valid_to?: string;
  superseded?: boolean;
  superseded_by?: string;
  newer?: Newer;
  supplementary?: boolean;
  highlights?: number[][];
  title?: string;
  parts?: MergedMemory[];
  more?: string;
  explain?: Explanation;
}

export interface RecallStats {
  total: number;
  searchTime: number;
}

export interface Recalled {
  results: RecallResult[];
  query: string;
  method: string;
  memories: RecallResult[];
  count: number;
  stats: RecallStats;
  nearest?: NearestMiss;
  entities?: Record<string, unknown>[];
  sources?: Record<string, string>;
  time?: Record<string, unknown>;
  explain?: Record<string, unknown>;
  degraded?: string[];
  degraded_reasons?: Record<string, string>;
  incomplete?: boolean;
  why_not?: OmittedMemory;
  prompt?: AsPrompt;
}

export interface Recovered {
  alongCount?: number;
  along?: Followed[];
  staying?: Stayed[];
  heldBy?: string[];
  success: boolean;
  id: string | null;
  status: string;
  currentVersion?: number;
  newVersion?: number;
  contentChanged?: boolean;
  embedded?: boolean;
  masked?: string[];
  lifted?: string[];
  duplicateMemoryId?: string;
  error?: string;
  retentionDays: number;
}

export interface RecoveredMany {
  success: boolean;
  requested: number;
  recovered: number;
  results: Modified[];
}

export interface RepairOption {
  name: string;
  help: string;
  type: "integer" | "number" | "boolean" | "string";
  default: unknown;
  low: number | null;
  high: number | null;
  choices: string[];
  required: boolean;
}

export interface Repaired {
  action: string;
  success: boolean;
  affected: number;
  message: string;
  details?: Record<string, unknown>;
}

export interface Repairs {
  repairs: KnownRepair[];
  count: number;
}

export interface Resources {
  processes: ProcessCost[];
  disk: DiskPart[];
}

export interface RunningSession {
  key: string;
  runtimePath: string;
  claimedAt: string | null;
  expiresAt: string | null;
  agentId: string;
  bypassed: boolean;
  harness: string | null;
  project: string | null;
}

export interface RunningSessions {
  sessions: RunningSession[];
  count: number;
}

export interface SavedMemory {
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
  rewritten?: boolean;
  entities_linked: number;
  hints_written: number;
  origin: string;
  origin_claimed?: string;
  review?: string;
  superseded?: string[];
  not_superseded?: string[];
  may_replace?: Predecessor[];
  masked?: string[];
  lifted?: string[];
  chunked?: boolean;
  chunk_count?: number;
  ids?: string[];
  group_id?: string | null;
}

export interface Secrets {
  secrets: string[];
}

export interface Series {
  step: string;
  tz: string;
  starts: string[];
  series: Record<string, number[]>;
}

export interface SessionMemory {
  id: string;
  content: string;
  type: string;
  createdAt: string;
  how: "saved" | "distilled";
}

export interface SessionPage {
  sessions: ListedSession[];
  count: number;
  next: string | null;
}

export interface SessionReplay {
  sessionKey: string;
  agentId: string;
  harness: string;
  project: string | null;
  startedAt: string;
  isOver: boolean;
  totals: ContextTotals;
  injections: ContextInjection[];
  title: string | null;
  outcome: string | null;
  decisions: string[];
  files: string[];
  turns: Spoken[];
  memories: SessionMemory[];
  summary: string | null;
}

export interface Setting {
  key: string;
  label: string;
  often: number;
  kind: "boolean" | "integer" | "number" | "choice" | "text" | "list" | "map";
  default: unknown;
  value: unknown;
  origin: string;
  low: number | null;
  high: number | null;
  choices: string[];
  says: Record<string, string>;
  group: string;
  secret: boolean;
  restart: boolean;
}

export interface Share {
  id: string;
  memoryId: string;
  content: string | null;
  space: string;
  state: string;
  author: string;
  note: string | null;
  sharedBy: string;
  sharedAt: string;
  decidedBy: string | null;
  decidedAt: string | null;
  endedBy: string | null;
  endedAt: string | null;
}

export interface SharedBy {
  by: string;
  space: string;
}

export interface Shares {
  shares: Share[];
  next: string | null;
}

export interface Skill {
  name: string;
  description: string;
  version: string | null;
  author: string | null;
  maintainer: string | null;
  license: string | null;
  homepage: string | null;
  user_invocable: boolean;
  arg_hint: string | null;
  verified: boolean;
  builtin: boolean;
  role: string;
  permissions: string[];
  triggers: string[];
  tags: string[];
  dependencies: Record<string, string[]>;
  path: string;
}

export interface Skills {
  skills: Skill[];
  count: number;
}

export interface SomeSessions {
  sessions: number;
  corrections: Interval | null;
  askedAgain: Interval | null;
  prompts: Interval | null;
}

export interface Space {
  name: string;
  description: string;
  review: boolean;
  createdBy: string;
  createdAt: string;
  memories: number;
  waiting: number;
  verbs: string[];
}

export interface Spaces {
  spaces: Space[];
}

export interface Spoken {
  role: string;
  text: string;
  at: string | null;
}

export interface Stage {
  stage: string;
  before: number;
  after: number;
  says: string;
}

export interface Status {
  status: string;
  version: string;
  pid: number;
  uptime: number;
  startedAt: string;
  port: number;
  host: string;
  bindHost: string;
  agentsDir: string;
  memoryDb?: boolean;
  pipelineV2?: Record<string, unknown>;
  health?: Diagnosis;
  reasons?: string[];
  agentCreatedAt?: string | null;
  holdout?: number;
  configError?: string | null;
  configWarnings?: string[];
  restartRequired?: string[];
  logging?: LogFiles;
  update?: UpdateStatus;
  storage?: Storage;
  processes?: Record<string, unknown>[];
  activeSessions?: number;
  bypassedSessions?: number;
  providerResolution?: Record<string, Record<string, unknown>>;
  queue?: Record<string, unknown>;
  oldestDueSeconds?: number | null;
  waitingForProvider?: Record<string, string>;
  embedding?: EmbeddingState;
  reviewsWaiting?: number;
  capture?: Capture;
}

export interface Stayed {
  id: string;
  content: string;
  why: string;
}

export interface Storage {
  engine: string;
  address: string | null;
  version: string;
  safe: boolean;
  vectors: string;
}

export interface StoredEntity {
  id: string;
  name: string;
  canonicalName: string;
  entityType: string;
  agentId: string;
  description: string | null;
  mentions: number;
  pinned: boolean;
  pinnedAt: string | null;
  communityId: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface SyncError {
  resourceId: string;
  message: string;
  retryable: boolean;
}

export interface SyncProgress {
  jobId: string;
  filesSeen: number;
  documentsAdded: number;
  documentsUpdated: number;
  documentsRemoved: number;
  errorCount: number;
  errors: SyncError[];
}

export interface TaskPage {
  tasks: Record<string, unknown>[];
  presets: Record<string, string>[];
}

export interface Token {
  jti: string;
  sub: string | null;
  role: string | null;
  scope: Record<string, unknown>;
  issuedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  lastSeenAt: string | null;
}

export interface Tokens {
  tokens: Token[];
  count: number;
}

export interface Told {
  id: string;
  content: string | null;
  given: number;
  helped: number;
  hurt: number;
}

export interface UnknownRecords {
  harness: string;
  version: string | null;
  type: string;
  records: number;
}

export interface UpdateStatus {
  currentVersion: string;
  latestVersion: string | null;
  updateAvailable: boolean;
  pendingRestart: string | null;
  autoInstall: boolean;
  checkInterval: number;
  lastCheckAt: string | null;
  lastError: string | null;
  timerActive: boolean;
}

export interface UsedIn {
  turn?: number;
  tool?: string;
}

export interface WaitingMemories {
  memories: WaitingMemory[];
  next: string | null;
  total: number;
}

export interface WaitingMemory {
  id: string;
  content: string;
  says: string;
  origin: string;
  who: string | null;
  source_type: string | null;
  created_at: string;
  project: string | null;
  agent_id: string;
  review: string;
  replaces?: string[];
}

export interface WhoAmI {
  standing: string;
  authenticated: boolean;
  claims: Record<string, unknown> | null;
  mode: string;
  permissions: string[];
  trustedLocal: boolean;
  error: string | null;
}

export interface WholeEntity {
  aspectCount: number;
  attributeCount: number;
  constraintCount: number;
  dependencyCount: number;
  entity: StoredEntity;
  structuralDensity: EntityCounts;
  incomingDependencyCount: number;
  outgoingDependencyCount: number;
  suppressed: boolean;
  task?: EntityTask;
  skill?: EntitySkill;
}

export interface WholeJob {
  id: string;
  memory_id: string | null;
  document_id: string | null;
  job_type: string;
  says: string;
  queue: string;
  status: string;
  attempt_count: number;
  attempts: number;
  max_attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  last_error_code: string | null;
  error: string | null;
  result: unknown;
  leased_at: string | null;
  completed_at: string | null;
  failed_at: string | null;
  created_at: string;
  updated_at: string;
  priority: number;
  agent_id: string | null;
  parent_id: string | null;
  payload: unknown;
  errors: unknown[];
  runs_total: number;
  crashes: number;
  lease_owner: string | null;
  lease_token: number;
  cancel_requested: boolean;
  due_at: string;
}

export interface WholeMemory {
  id: string;
  content: string;
  says: string;
  created_at: string;
  who: string | null;
  importance: number;
  tags: string | null;
  source_type: string | null;
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
  origin: string;
  review: string | null;
  pinned: number;
  sessionId: string | null;
  source_path: string | null;
  confidence: number | null;
  is_deleted: number;
  extraction_status: string | null;
  embedding_model: string | null;
  updated_by: string | null;
}
