/** What the page asks of the daemon: one function for each change, one address for each thing that is read. */
import { ask, type Asked, type Query, Refused } from "../lib/http";
import { stale } from "../lib/resource";
import { signal } from "../lib/signal";
import { agent } from "../lib/store";
import { sum } from "../lib/words";
import { mine, paths } from "./paths";
import type * as t from "./types";

const id = encodeURIComponent;

/** How often this page changed something: what is no resource asks again then. */
export const changes = signal(0);
/** Memories that this page forgot. */
export const gone = signal<ReadonlySet<string>>(new Set());

function mark(ids: readonly (string | null)[], isGone: boolean): void {
  const known = new Set(gone.value);
  for (const one of ids) if (one) known[isGone ? "add" : "delete"](one);
  gone.value = known;
}

/** Changes are kept in history with this. */
const REASON = "dashboard";

/** Ask recall. The page only looks: nothing counts as used. */
export function recall(query: string, more: Query, signal?: AbortSignal): Promise<t.Recalled> {
  const body = { ...more, query, agent_id: agent.value, explain: true, touch: false, highlights: true };
  return ask("POST", "/api/memory/recall", { body, signal });
}

/** Change something: what is shown is asked for again. */
async function tell<T>(method: "POST" | "PATCH" | "DELETE", path: string, body: unknown = {}, shows?: Asked["shows"]): Promise<T> {
  const done = await ask<T>(method, path, { body, shows });
  stale();
  changes.value += 1;
  return done;
}

export interface Patch {
  content?: string;
  project?: string | null;
  type?: string;
  tags?: string[] | null;
  importance?: number;
  pinned?: boolean;
}

/** Change a memory that is still the one that was seen; 409 when it is not. */
export function change(memory: string, patch: Patch, version?: number): Promise<t.Modified> {
  return tell("PATCH", `/api/memory/${id(memory)}`, { ...patch, reason: REASON, agent_id: agent.value, if_version: version });
}

/** Forget a memory; pinned ones, too, because a person asks. */
export async function forget(memory: string): Promise<t.Modified> {
  const done = await tell<t.Modified>("DELETE", paths.memory(memory), { reason: REASON, force: true });
  mark([memory], true);
  return done;
}

/** Remove a memory for good; the answer names what may still hold its words. */
export function erase(memory: string): Promise<t.Modified> {
  return tell("DELETE", paths.memory(memory), { reason: REASON, erase: true });
}

/** Bring a forgotten memory back. */
export async function recover(memory: string): Promise<t.Recovered> {
  const done = await tell<t.Recovered>("POST", mine(`/api/memory/${id(memory)}/recover`), { reason: REASON });
  mark([memory], false);
  return done;
}

/** Let this agent remember what one that was removed knew. */
export function adopt(memory: string): Promise<t.SavedMemory> {
  return tell("POST", `/api/memory/${id(memory)}/adopt`, { agent_id: agent.value });
}

/** Say of a memory that waits for a person whether it may be delivered unasked. */
export async function decide(memory: string, what: "approve" | "reject"): Promise<t.Modified> {
  const done = await tell<t.Modified>("POST", `/api/memory/reviews/${id(memory)}/${what}`, { agent_id: agent.value });
  mark([memory], what === "reject");
  return done;
}

/** Let a memory enter a space, or be proposed for it. */
export function share(memory: string, space: string): Promise<t.Share> {
  return tell("POST", `/api/memory/${id(memory)}/share`, { space, agent_id: agent.value });
}

/** Return a memory to its author as it was. */
export function withdraw(memory: string): Promise<t.Share> {
  return tell("POST", `/api/memory/${id(memory)}/withdraw`);
}

/** Decide about a proposed memory. */
export function decideShare(share: string, approve: boolean): Promise<t.Share> {
  return tell("POST", `/api/shares/${id(share)}/decide`, { approve });
}

/** Say what a memory is worth; `none` takes that back. */
export async function judge(memory: string, verdict: "keep" | "fade" | "wrong" | "none"): Promise<t.Modified> {
  const done = await tell<t.Modified>("POST", `/api/memory/${id(memory)}/review`, { verdict, agent_id: agent.value });
  mark([memory], verdict === "wrong");
  return done;
}

/** Run a task that recurs now. */
export const runTask = (task: string, shows: Asked["shows"]) => tell("POST", `/api/tasks/${id(task)}/run`, {}, shows);

/** Look through a source again. */
export const syncSource = (source: string, name: string) => tell("POST", `/api/connectors/${id(source)}/sync`, {}, { name });

/** Have the texts of a folder read, now and when they change. */
export function addSource(folder: string): Promise<unknown> {
  const displayName = folder.split("/").filter(Boolean).pop() ?? folder;
  return tell("POST", "/api/connectors", { provider: "filesystem", displayName, settings: { rootPath: folder }, agentId: agent.value || undefined, sync: true });
}

/** Remove a source, task, skill or secret for good. */
export const remove = (kind: "auth/tokens" | "connectors" | "tasks" | "skills" | "secrets", one: string, shows: Asked["shows"]) => tell("DELETE", `/api/${kind}/${id(one)}`, {}, shows);

/** Add a task that recurs; its fields are as the daemon names them. */
export function addTask({ skipPermissions, workingDirectory, ...task }: Readonly<Record<string, string>>): Promise<unknown> {
  return tell("POST", "/api/tasks", { ...task, workingDirectory: workingDirectory || undefined, skipPermissions: Boolean(skipPermissions) });
}

export const switchTask = (task: string, enabled: boolean, shows: Asked["shows"]) => tell("PATCH", `/api/tasks/${id(task)}`, { enabled }, { enabled, ...shows });

export const installSkill = (name: string) => tell("POST", "/api/skills/install", { name });

/** Let Signet store nothing more of a session and show it nothing, or go on. */
export const bypass = (session: string, enabled: boolean) => tell<t.Bypassed>("POST", mine(`/api/sessions/${id(session)}/bypass`), { enabled });

/** Save a text. */
export function remember(content: string): Promise<t.SavedMemory> {
  return tell("POST", "/api/memory/remember", { content, who: "capture", importance: 0.7, agent_id: agent.value });
}

/** Memories that are forgotten, changed or recovered by one request at most. */
const BATCH = 200;

function batches<T>(of: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(of.length / BATCH) }, (_, at) => of.slice(at * BATCH, (at + 1) * BATCH));
}

/** Return every memory that passes these filters, page by page. */
export async function everyRow(filters: Query): Promise<t.MemorySummary[]> {
  const found: t.MemorySummary[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: t.MemoryPage = await ask("GET", paths.memories({ ...filters, stats: 0, limit: 1_000, cursor }));
    found.push(...page.memories);
    cursor = page.next;
  }
  return found;
}

/** Return the rows of these memories. */
export async function rowsOf(ids: readonly string[]): Promise<t.MemorySummary[]> {
  const pages = await Promise.all(batches(ids).map((some) => ask<t.MemoryPage>("GET", paths.memories({ ids: some.join(), stats: 0, limit: BATCH }))));
  return pages.flatMap((page) => page.memories);
}

export interface Gone {
  readonly results: readonly t.Modified[];
  readonly pinned: number;
  readonly backup: boolean;
}

/** Return what a choice would forget, and why each. */
export const previewForget = (choice: object) => ask<t.ForgetPreview>("POST", "/api/memory/forget", { body: { ...choice, agent_id: agent.value } });

async function forgetThese(choice: Query | { ids: readonly string[] }, expected: number): Promise<Gone> {
  const body = { ...choice, agent_id: agent.value, reason: REASON };
  const shown = await previewForget(choice);
  if (shown.count !== expected) throw new Refused(409, "These memories have changed: choose them again.", "changed", null);
  const done = await tell<t.ForgottenMany>("POST", "/api/memory/forget", { ...body, mode: "execute", confirm_token: shown.confirmToken });
  mark(done.results.map((one) => one.success ? one.id : null), true);
  return { results: done.results.filter((one) => one.success), pinned: done.pinned, backup: Boolean(done.backup) };
}

/** Forget all memories that pass these filters, at once; pinned ones stay. Refused unless there are as many as were seen. */
export function forgetAll(filters: Query, expected: number): Promise<Gone> {
  return forgetThese({ ...filters, all: true, limit: 1 }, expected);
}

/** Forget several memories: the daemon is first asked what it would take, and told to take exactly that. */
export async function forgetMany(ids: readonly string[]): Promise<Gone> {
  const done: Gone[] = [];
  for (const some of batches(ids)) done.push(await forgetThese({ ids: some }, some.length));
  return { results: done.flatMap((one) => one.results), pinned: sum(done.map((one) => one.pinned)), backup: done.some((one) => one.backup) };
}

/** Change several memories, each in its own way; return how many were. */
export async function changeMany(patches: readonly (Patch & { id: string })[]): Promise<number> {
  let changed = 0;
  for (const some of batches(patches))
    changed += (await tell<t.ModifiedMany>("POST", "/api/memory/modify", { patches: some, reason: REASON, agent_id: agent.value })).updated;
  return changed;
}

const repairAt = (path: string) => (path.startsWith("/") ? path : `/api/repair/${path}`);

/** Say what a repair would change. */
export const preview = (path: string) => ask<t.Repaired>("POST", repairAt(path), { body: { dryRun: true } });

export const repair = (path: string) => tell<t.Repaired>("POST", repairAt(path));

/** Stop taking jobs, or go on. */
export function pause(isPaused: boolean): Promise<t.Paused> {
  return tell("POST", isPaused ? "/api/pipeline/pause" : "/api/pipeline/resume");
}

/** Try dead jobs again, or cancel waiting ones. */
export function changeJobs(what: "retry" | "cancel", which: { ids?: readonly string[]; code?: string; kind?: string }): Promise<t.ChangedJobs> {
  return tell("POST", `/api/jobs/${what}`, which);
}

/** Bring forgotten memories back. */
export async function recoverMany(ids: readonly string[]): Promise<void> {
  for (const some of batches(ids)) await tell("POST", "/api/memory/recover", { ids: some, reason: REASON, agent_id: agent.value });
  mark(ids, false);
}

/** Pin an entity, so that it is always looked at, or leave it out of answers; null takes that back. */
export function pinEntity(entity: string, how: "pin" | "suppress" | null): Promise<unknown> {
  return tell(how ? "POST" : "DELETE", mine(`/api/knowledge/entities/${id(entity)}/pin`), { pin_type: how ?? undefined });
}

/** Write a file of the workspace. */
export function writeFile(file: string, content: string, before: string): Promise<unknown> {
  return tell("POST", "/api/config", { file, content }, { file, before, after: content });
}

/** Keep a secret; its value is never sent back. */
export function putSecret(name: string, value: string): Promise<unknown> {
  return tell("POST", `/api/secrets/${id(name)}`, { value }, { name });
}

/** Change settings; null takes one back to its default. With a hash only if the file is still the one that was seen. */
export function changeSettings(set: Readonly<Record<string, unknown>>, hash?: string, shows: Asked["shows"] = set): Promise<t.ChangedConfig> {
  return tell("PATCH", "/api/config", { set, ...(hash && { if_hash: hash }) }, shows);
}
