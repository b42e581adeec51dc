/** The addresses of what the page reads. */
import { type Query, withQuery } from "../lib/http";
import { agent } from "../lib/store";
import { ago } from "../lib/time";

/** Days of the digest. */
export const WEEK = 7;

/** Return an address about the chosen agent. */
export function mine(path: string, query: Query = {}): string {
  return withQuery(path, { ...query, agent_id: agent.value });
}

const id = encodeURIComponent;
const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const paths = {
  memories: (query: Query) => mine("/api/memories", query),
  memory: (memory: string) => mine(`/api/memory/${id(memory)}`),
  history: (memory: string) => mine(`/api/memory/${id(memory)}/history`),
  links: (memory: string) => mine(`/api/memory/${id(memory)}/links`),
  spaces: "/api/spaces",
  shares: (query: Query) => mine("/api/shares", query),
  access: (memory: string) => mine(`/api/memory/${id(memory)}/access`),
  series: (query: Query) => withQuery("/api/analytics/series", { ...query, tz }),
  resources: "/api/status/resources",
  places: () => mine("/api/embeddings/projection/columns"),
  whoami: "/api/auth/whoami",
  tasks: "/api/tasks",
  connectors: "/api/connectors",
  documents: () => mine("/api/documents", { limit: 20 }),
  skills: "/api/skills",
  usage: (memory: string) => mine(`/api/memory/${id(memory)}/usage`),
  home: (project: string | undefined) => mine("/api/home", { project, since: ago(WEEK - 1).toISOString() }),
  projects: () => mine("/api/projects"),
  diagnostics: "/api/diagnostics",
  status: "/api/status",
  about: "/api/status?parts=update",
  harnesses: "/api/harnesses",
  allSessions: (query: Query) => withQuery("/api/sessions", { ...query, state: "all" }),
  repairs: "/api/repair",
  evaluation: () => mine("/api/evaluation"),
  predictor: () => mine("/api/predictor/status"),
  replay: (session: string) => mine(`/api/sessions/${id(session)}/replay`),
  jobs: (query: Query) => withQuery("/api/jobs", query),
  job: (job: string) => `/api/jobs/${id(job)}`,
  logs: (query: Query) => withQuery("/api/logs", query),
  graph: (query: Query) => mine("/api/knowledge/graph", query),
  schema: "/api/config/schema",
  entity: (entity: string) => mine(`/api/knowledge/entities/${id(entity)}`),
  aspects: (entity: string) => mine(`/api/knowledge/entities/${id(entity)}/aspects`),
  facts: (entity: string, aspect: string) => mine(`/api/knowledge/entities/${id(entity)}/aspects/${id(aspect)}/attributes`),
  dependencies: (entity: string) => mine(`/api/knowledge/entities/${id(entity)}/dependencies`),
  files: "/api/config",
  secrets: "/api/secrets",
  agents: "/api/agents",
  tokens: "/api/auth/tokens",
  changelog: "/api/changelog?html=false",
  similar: (memory: string) => mine("/memory/similar", { id: memory, k: 12 }),
};
