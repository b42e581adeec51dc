import { Events } from "./events.js";
import type { Routes } from "../types/api.d.ts";
export type SignetOptions = {
    /**
     * Address of a daemon, such as `http://127.0.0.1:3850`.
     */
    url?: string;
    /**
     * Folder of the workspace; default: SIGNET_PATH, or `~/.agents`.
     */
    workspace?: string;
    /**
     * A token; default: SIGNET_TOKEN. The workspace's own daemon needs none.
     */
    token?: string;
    /**
     * The agent whose memories are meant; default: SIGNET_AGENT_ID.
     */
    agentId?: string;
    /**
     * Your program's name in the history; default: `javascript`.
     */
    actor?: string;
    /**
     * Its kind, such as `agent` or `harness`; default: `sdk`.
     */
    actorType?: string;
    /**
     * Rights at the workspace's own daemon over TCP; default: `admin`.
     */
    role?: "admin" | "agent";
    /**
     * Limit of each call; default: SIGNET_FETCH_TIMEOUT, or 10,000.
     */
    timeoutMs?: number;
    /**
     * Most retries of a call that is safe to repeat; default: 2.
     */
    retries?: number;
    /**
     * More headers for each request.
     */
    headers?: Record<string, string>;
    /**
     * Environment to read; default: `process.env`.
     */
    env?: Record<string, string | undefined>;
};
export type CallOptions = {
    /**
     * Ends the call; it throws the signal's reason.
     */
    signal?: AbortSignal;
    /**
     * Limit of the call with its retries.
     */
    timeoutMs?: number;
    retries?: number;
};
export type SpoolOptions = {
    /**
     * Keep the call in the workspace if it cannot be delivered; the daemon takes it later.
     */
    spool?: boolean;
};
export type Answer<R extends keyof Routes> = Routes[R]["answer"];
export type Context = Extract<Answer<"POST /api/memory/context">, {
    context: string;
}>;
export type SessionPage = Extract<Answer<"GET /api/sessions">, {
    next: string | null;
}>;
export type Fields<R extends keyof Routes> = Omit<Routes[R], "answer">;
export type Rest<R extends keyof Routes, Named extends keyof Body<R> = never> = Omit<Body<R>, Named>;
export type Body<R extends keyof Routes> = Routes[R] extends {
    body: infer B;
} ? B : Routes[R] extends {
    body?: infer B;
} ? NonNullable<B> : {};
export type Query<R extends keyof Routes> = Routes[R] extends {
    query?: infer Q;
} ? NonNullable<Q> : {};
/** @import { Routes } from "../types/api.d.ts" */
/**
 * @typedef {object} SignetOptions Options of a client. Without `url` and `workspace`, the environment names the daemon.
 * @property {string} [url] Address of a daemon, such as `http://127.0.0.1:3850`.
 * @property {string} [workspace] Folder of the workspace; default: SIGNET_PATH, or `~/.agents`.
 * @property {string} [token] A token; default: SIGNET_TOKEN. The workspace's own daemon needs none.
 * @property {string} [agentId] The agent whose memories are meant; default: SIGNET_AGENT_ID.
 * @property {string} [actor] Your program's name in the history; default: `javascript`.
 * @property {string} [actorType] Its kind, such as `agent` or `harness`; default: `sdk`.
 * @property {"admin" | "agent"} [role] Rights at the workspace's own daemon over TCP; default: `admin`.
 * @property {number} [timeoutMs] Limit of each call; default: SIGNET_FETCH_TIMEOUT, or 10,000.
 * @property {number} [retries] Most retries of a call that is safe to repeat; default: 2.
 * @property {Record<string, string>} [headers] More headers for each request.
 * @property {Record<string, string | undefined>} [env] Environment to read; default: `process.env`.
 */
/**
 * @typedef {object} CallOptions Options of one call.
 * @property {AbortSignal} [signal] Ends the call; it throws the signal's reason.
 * @property {number} [timeoutMs] Limit of the call with its retries.
 * @property {number} [retries]
 */
/**
 * @typedef {object} SpoolOptions
 * @property {boolean} [spool] Keep the call in the workspace if it cannot be delivered; the daemon takes it later.
 */
/**
 * @template {keyof Routes} R
 * @typedef {Routes[R]["answer"]} Answer The answer of a route.
 */
/** @typedef {Extract<Answer<"POST /api/memory/context">, { context: string }>} Context */
/** @typedef {Extract<Answer<"GET /api/sessions">, { next: string | null }>} SessionPage */
/**
 * The fields of a request of one route.
 *
 * @template {keyof Routes} R
 * @typedef {Omit<Routes[R], "answer">} Fields
 */
/**
 * @template {keyof Routes} R
 * @template {keyof Body<R>} [Named=never]
 * @typedef {Omit<Body<R>, Named>} Rest The fields of a body except those that are arguments.
 */
/**
 * @template {keyof Routes} R
 * @typedef {Routes[R] extends { body: infer B } ? B : Routes[R] extends { body?: infer B } ? NonNullable<B> : {}} Body
 */
/**
 * @template {keyof Routes} R
 * @typedef {Routes[R] extends { query?: infer Q } ? NonNullable<Q> : {}} Query
 */
/**
 * Client of a Signet daemon. It holds no connection between calls, and there is nothing to close.
 *
 * Every call throws DaemonNotRunningError or DaemonSilentError without an answer, and the error of a refusal.
 */
export declare class Signet {
    #private;
    /** @param {SignetOptions} [options] */
    constructor(options?: SignetOptions);
    /** The daemon's address; it is also called through its Unix socket. */
    get url(): string;
    /**
     * Save a text. With `idempotencyKey` it can be repeated and is saved once.
     *
     * @param {string} content
     * @param {Rest<"POST /api/memory/remember", "content">} [fields]
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"POST /api/memory/remember">>}
     */
    remember(content: string, fields?: Rest<"POST /api/memory/remember", "content">, options?: CallOptions): Promise<Answer<"POST /api/memory/remember">>;
    /**
     * Return the memories that answer a question, best first, in `results`.
     *
     * @param {string} query
     * @param {Rest<"POST /api/memory/recall", "query">} [fields]
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"POST /api/memory/recall">>}
     */
    recall(query: string, fields?: Rest<"POST /api/memory/recall", "query">, options?: CallOptions): Promise<Answer<"POST /api/memory/recall">>;
    /**
     * Return what is remembered about a prompt as one text for the system prompt, in `context`, with its `sources`.
     *
     * @param {string} prompt
     * @param {Rest<"POST /api/memory/context", "prompt" | "id" | "page">} [fields]
     * @param {CallOptions} [options]
     * @returns {Promise<Context>}
     */
    context(prompt: string, fields?: Rest<"POST /api/memory/context", "prompt" | "id" | "page">, options?: CallOptions): Promise<Context>;
    /**
     * Return one memory.
     *
     * @param {string} id
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"GET /api/memory/{memory_id}">>}
     */
    memory(id: string, options?: CallOptions): Promise<Answer<"GET /api/memory/{memory_id}">>;
    /**
     * Yield every memory, newest first, in pages of 200.
     *
     * @param {Omit<Query<"GET /api/memories">, "limit" | "offset" | "before" | "cursor">} [fields]
     * @param {CallOptions} [options] For each page.
     * @returns {AsyncGenerator<Answer<"GET /api/memories">["memories"][number], void, undefined>}
     */
    memories(fields?: Omit<Query<"GET /api/memories">, "limit" | "offset" | "before" | "cursor">, options?: CallOptions): AsyncGenerator<Answer<"GET /api/memories">["memories"][number], void, undefined>;
    /**
     * Change a memory; `reason` is kept in its history. `ifVersion` refuses a concurrent change with ConflictError.
     *
     * @param {string} id
     * @param {Body<"PATCH /api/memory/{memory_id}">} fields
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"PATCH /api/memory/{memory_id}">>}
     */
    modify(id: string, fields: Body<"PATCH /api/memory/{memory_id}">, options?: CallOptions): Promise<Answer<"PATCH /api/memory/{memory_id}">>;
    /**
     * Forget a memory and everything derived only from it. `recover` undoes it for 30 days. A pinned one needs `force`.
     *
     * @param {string} id
     * @param {Query<"DELETE /api/memory/{memory_id}"> & { reason: string }} fields
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"DELETE /api/memory/{memory_id}">>}
     */
    forget(id: string, fields: Query<"DELETE /api/memory/{memory_id}"> & {
        reason: string;
    }, options?: CallOptions): Promise<Answer<"DELETE /api/memory/{memory_id}">>;
    /**
     * Recover a forgotten memory.
     *
     * @param {string} id
     * @param {Body<"POST /api/memory/{memory_id}/recover"> & { reason: string }} fields
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"POST /api/memory/{memory_id}/recover">>}
     */
    recover(id: string, fields: Body<"POST /api/memory/{memory_id}/recover"> & {
        reason: string;
    }, options?: CallOptions): Promise<Answer<"POST /api/memory/{memory_id}/recover">>;
    /**
     * Yield active and ended sessions, latest activity first, with title, outcome and decisions.
     *
     * @param {Omit<Query<"GET /api/sessions">, "state" | "limit" | "cursor">} [fields]
     * @param {CallOptions} [options] For each page.
     * @returns {AsyncGenerator<SessionPage["sessions"][number], void, undefined>}
     */
    sessions(fields?: Omit<Query<"GET /api/sessions">, "state" | "limit" | "cursor">, options?: CallOptions): AsyncGenerator<SessionPage["sessions"][number], void, undefined>;
    /**
     * Return the transcript of a session in `content`.
     *
     * @param {string} key
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"GET /api/sessions/{session_key}/transcript">>}
     */
    transcript(key: string, options?: CallOptions): Promise<Answer<"GET /api/sessions/{session_key}/transcript">>;
    /**
     * Return excerpts of transcripts that contain the words.
     *
     * @param {string} query
     * @param {Rest<"POST /api/sessions/search", "query">} [fields]
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"POST /api/sessions/search">["results"]>}
     */
    searchSessions(query: string, fields?: Rest<"POST /api/sessions/search", "query">, options?: CallOptions): Promise<Answer<"POST /api/sessions/search">["results"]>;
    /**
     * For harnesses: start a session and return the text for the model in `inject`.
     *
     * @param {Body<"POST /api/hooks/session-start">} fields
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"POST /api/hooks/session-start">>}
     */
    startSession(fields: Body<"POST /api/hooks/session-start">, options?: CallOptions): Promise<Answer<"POST /api/hooks/session-start">>;
    /**
     * For harnesses: return the text that belongs to a prompt in `inject`.
     *
     * @param {Body<"POST /api/hooks/user-prompt-submit">} fields
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"POST /api/hooks/user-prompt-submit">>}
     */
    submitPrompt(fields: Body<"POST /api/hooks/user-prompt-submit">, options?: CallOptions): Promise<Answer<"POST /api/hooks/user-prompt-submit">>;
    /**
     * For harnesses: deliver the transcript so far after a turn. A longer one replaces a shorter one.
     *
     * @param {Body<"POST /api/hooks/session-checkpoint-extract">} fields
     * @param {CallOptions & SpoolOptions} [options]
     * @returns {Promise<Answer<"POST /api/hooks/session-checkpoint-extract"> & { spooled?: boolean }>}
     */
    endTurn(fields: Body<"POST /api/hooks/session-checkpoint-extract">, options?: CallOptions & SpoolOptions): Promise<Answer<"POST /api/hooks/session-checkpoint-extract"> & {
        spooled?: boolean;
    }>;
    /**
     * For harnesses: end a session and deliver its transcript; with the reason `clear` it is not stored.
     *
     * @param {Body<"POST /api/hooks/session-end">} fields
     * @param {CallOptions & SpoolOptions} [options]
     * @returns {Promise<Answer<"POST /api/hooks/session-end"> & { spooled?: boolean }>}
     */
    endSession(fields: Body<"POST /api/hooks/session-end">, options?: CallOptions & SpoolOptions): Promise<Answer<"POST /api/hooks/session-end"> & {
        spooled?: boolean;
    }>;
    /**
     * For harnesses: return instructions for the summary before a compaction.
     *
     * @param {Body<"POST /api/hooks/pre-compaction">} fields
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"POST /api/hooks/pre-compaction">>}
     */
    beforeCompaction(fields: Body<"POST /api/hooks/pre-compaction">, options?: CallOptions): Promise<Answer<"POST /api/hooks/pre-compaction">>;
    /**
     * For harnesses: store the summary of a compaction.
     *
     * @param {Body<"POST /api/hooks/compaction-complete">} fields
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"POST /api/hooks/compaction-complete">>}
     */
    afterCompaction(fields: Body<"POST /api/hooks/compaction-complete">, options?: CallOptions): Promise<Answer<"POST /api/hooks/compaction-complete">>;
    /**
     * Return the daemon's state: version, processes, memories, warnings.
     *
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<"GET /api/status">>}
     */
    status(options?: CallOptions): Promise<Answer<"GET /api/status">>;
    /**
     * Return live events of all or some `topics`. It resolves when every later event will be received.
     *
     *     for await (const event of await signet.events({ topics: ["memory"] })) console.log(event.kind, event.ids)
     *
     * Reconnects for `reconnectMs` (default 30,000) after a broken connection, then throws. `after` continues behind the
     * `lastId` of an earlier stream.
     *
     * @param {{ topics?: string[], after?: string, reconnectMs?: number, signal?: AbortSignal, timeoutMs?: number }} [options]
     * @returns {Promise<Events>}
     */
    events(options?: {
        topics?: string[];
        after?: string;
        reconnectMs?: number;
        signal?: AbortSignal;
        timeoutMs?: number;
    }): Promise<Events>;
    /**
     * Call any route, as in `request("GET /api/jobs/{job_id}", { path: { job_id: id } })`, and return its JSON answer.
     *
     * @template {keyof Routes} R
     * @param {R} route
     * @param {Fields<R>} [fields] `path`, `query` and `body`.
     * @param {CallOptions} [options]
     * @returns {Promise<Answer<R>>}
     */
    request<R extends keyof Routes>(route: R, fields?: Fields<R>, options?: CallOptions): Promise<Answer<R>>;
}
