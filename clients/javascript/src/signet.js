import { findDaemon } from "./address.js"
import { ConnectionBrokenError, InvalidError, RateLimitedError, SignetError, UnavailableError, refusal } from "./errors.js"
import { Events } from "./events.js"
import { FIELDS } from "./fields.js"
import { linesOf } from "./messages.js"
import { CALL_OPTIONS, CLIENT_OPTIONS, DELIVERY_OPTIONS, EVENTS_OPTIONS, REQUEST_OPTIONS, checkOptions } from "./options.js"
import { spool } from "./spool.js"
import { FIRST_PAUSE_MS, MOST_PAUSE_MS, pause, within } from "./time.js"
import { exchange, open, silent } from "./transport.js"
import { attempt, objectOf, words } from "./values.js"

const VERSION = "0.1.0"
const TIMEOUT_MS = 10_000
const PAGE = 200
// Sending these twice does no harm.
const SAFE = new Set([
  "POST /api/memory/recall",
  "POST /api/memory/context",
  "POST /api/sessions/search",
  "POST /api/hooks/session-checkpoint-extract",
])

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
export class Signet {
  #options
  #env
  /** @type {Record<string, string>} */
  #headers

  /** @param {SignetOptions} [options] */
  constructor(options = {}) {
    checkOptions("new Signet", options, CLIENT_OPTIONS)
    this.#options = options
    this.#env = options.env ?? process.env
    const agent = options.agentId ?? words(this.#env.SIGNET_AGENT_ID)
    const more = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
    this.#headers = {
      "user-agent": `signetai-client/${VERSION}`,
      "x-signet-actor": options.actor ?? "javascript",
      "x-signet-actor-type": options.actorType ?? "sdk",
      ...(agent && { "x-signet-agent-id": agent }),
      ...Object.fromEntries(more),
    }
  }

  /** The daemon's address; it is also called through its Unix socket. */
  get url() {
    return this.#daemon().url
  }

  /**
   * Save a text. With `idempotencyKey` it can be repeated and is saved once.
   *
   * @param {string} content
   * @param {Rest<"POST /api/memory/remember", "content">} [fields]
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"POST /api/memory/remember">>}
   */
  remember(content, fields, options) {
    return this.request("POST /api/memory/remember", { body: { ...fields, content } }, options)
  }

  /**
   * Return the memories that answer a question, best first, in `results`.
   *
   * @param {string} query
   * @param {Rest<"POST /api/memory/recall", "query">} [fields]
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"POST /api/memory/recall">>}
   */
  recall(query, fields, options) {
    return this.request("POST /api/memory/recall", { body: { ...fields, query } }, options)
  }

  /**
   * Return what is remembered about a prompt as one text for the system prompt, in `context`, with its `sources`.
   *
   * @param {string} prompt
   * @param {Rest<"POST /api/memory/context", "prompt" | "id" | "page">} [fields]
   * @param {CallOptions} [options]
   * @returns {Promise<Context>}
   */
  async context(prompt, fields, options) {
    const found = await this.request("POST /api/memory/context", { body: { ...fields, prompt } }, options)
    return /** @type {Context} */ (found)
  }

  /**
   * Return one memory.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"GET /api/memory/{memory_id}">>}
   */
  memory(id, options) {
    return this.request("GET /api/memory/{memory_id}", { path: { memory_id: id } }, options)
  }

  /**
   * Yield every memory, newest first, in pages of 200.
   *
   * @param {Omit<Query<"GET /api/memories">, "limit" | "offset" | "before" | "cursor">} [fields]
   * @param {CallOptions} [options] For each page.
   * @returns {AsyncGenerator<Answer<"GET /api/memories">["memories"][number], void, undefined>}
   */
  async *memories(fields, options) {
    for (let before = ""; ; ) {
      const query = { ...fields, limit: PAGE, before: before || undefined }
      const { memories } = await this.request("GET /api/memories", { query }, options)
      yield* memories
      const last = memories.at(-1)
      if (last === undefined) return
      before = last.id
    }
  }

  /**
   * Change a memory; `reason` is kept in its history. `ifVersion` refuses a concurrent change with ConflictError.
   *
   * @param {string} id
   * @param {Body<"PATCH /api/memory/{memory_id}">} fields
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"PATCH /api/memory/{memory_id}">>}
   */
  modify(id, fields, options) {
    return this.request("PATCH /api/memory/{memory_id}", { path: { memory_id: id }, body: fields }, options)
  }

  /**
   * Forget a memory and everything derived only from it. `recover` undoes it for 30 days. A pinned one needs `force`.
   *
   * @param {string} id
   * @param {Query<"DELETE /api/memory/{memory_id}"> & { reason: string }} fields
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"DELETE /api/memory/{memory_id}">>}
   */
  forget(id, fields, options) {
    return this.request("DELETE /api/memory/{memory_id}", { path: { memory_id: id }, query: fields }, options)
  }

  /**
   * Recover a forgotten memory.
   *
   * @param {string} id
   * @param {Body<"POST /api/memory/{memory_id}/recover"> & { reason: string }} fields
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"POST /api/memory/{memory_id}/recover">>}
   */
  recover(id, fields, options) {
    return this.request("POST /api/memory/{memory_id}/recover", { path: { memory_id: id }, body: fields }, options)
  }

  /**
   * Yield active and ended sessions, latest activity first, with title, outcome and decisions.
   *
   * @param {Omit<Query<"GET /api/sessions">, "state" | "limit" | "cursor">} [fields]
   * @param {CallOptions} [options] For each page.
   * @returns {AsyncGenerator<SessionPage["sessions"][number], void, undefined>}
   */
  async *sessions(fields, options) {
    /** @type {string | null} */
    let cursor = null
    do {
      const query = { ...fields, state: /** @type {const} */ ("all"), limit: PAGE, cursor: cursor ?? undefined }
      const page = /** @type {SessionPage} */ (await this.request("GET /api/sessions", { query }, options))
      yield* page.sessions
      cursor = page.next
    } while (cursor !== null)
  }

  /**
   * Return the transcript of a session in `content`.
   *
   * @param {string} key
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"GET /api/sessions/{session_key}/transcript">>}
   */
  transcript(key, options) {
    return this.request("GET /api/sessions/{session_key}/transcript", { path: { session_key: key } }, options)
  }

  /**
   * Return excerpts of transcripts that contain the words.
   *
   * @param {string} query
   * @param {Rest<"POST /api/sessions/search", "query">} [fields]
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"POST /api/sessions/search">["results"]>}
   */
  async searchSessions(query, fields, options) {
    return (await this.request("POST /api/sessions/search", { body: { ...fields, query } }, options)).results
  }

  /**
   * For harnesses: start a session and return the text for the model in `inject`.
   *
   * @param {Body<"POST /api/hooks/session-start">} fields
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"POST /api/hooks/session-start">>}
   */
  startSession(fields, options) {
    return this.request("POST /api/hooks/session-start", { body: fields }, options)
  }

  /**
   * For harnesses: return the text that belongs to a prompt in `inject`.
   *
   * @param {Body<"POST /api/hooks/user-prompt-submit">} fields
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"POST /api/hooks/user-prompt-submit">>}
   */
  async submitPrompt(fields, options) {
    linesOf(fields.transcript)
    return this.request("POST /api/hooks/user-prompt-submit", { body: fields }, options)
  }

  /**
   * For harnesses: deliver the transcript so far after a turn. A longer one replaces a shorter one.
   *
   * @param {Body<"POST /api/hooks/session-checkpoint-extract">} fields
   * @param {CallOptions & SpoolOptions} [options]
   * @returns {Promise<Answer<"POST /api/hooks/session-checkpoint-extract"> & { spooled?: boolean }>}
   */
  endTurn(fields, options) {
    return this.#deliver("POST /api/hooks/session-checkpoint-extract", fields, options)
  }

  /**
   * For harnesses: end a session and deliver its transcript; with the reason `clear` it is not stored.
   *
   * @param {Body<"POST /api/hooks/session-end">} fields
   * @param {CallOptions & SpoolOptions} [options]
   * @returns {Promise<Answer<"POST /api/hooks/session-end"> & { spooled?: boolean }>}
   */
  endSession(fields, options) {
    return this.#deliver("POST /api/hooks/session-end", fields, options)
  }

  /**
   * For harnesses: return instructions for the summary before a compaction.
   *
   * @param {Body<"POST /api/hooks/pre-compaction">} fields
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"POST /api/hooks/pre-compaction">>}
   */
  beforeCompaction(fields, options) {
    return this.request("POST /api/hooks/pre-compaction", { body: fields }, options)
  }

  /**
   * For harnesses: store the summary of a compaction.
   *
   * @param {Body<"POST /api/hooks/compaction-complete">} fields
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"POST /api/hooks/compaction-complete">>}
   */
  afterCompaction(fields, options) {
    return this.request("POST /api/hooks/compaction-complete", { body: fields }, options)
  }

  /**
   * Return the daemon's state: version, processes, memories, warnings.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<"GET /api/status">>}
   */
  status(options) {
    return this.request("GET /api/status", {}, options)
  }

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
  async events(options = {}) {
    checkOptions("events", options, EVENTS_OPTIONS)
    const topics = options.topics ?? []
    const ms = options.timeoutMs ?? this.#timeoutMs()
    const target = `/api/events${queryText({ topics: topics.length ? topics.join(",") : undefined })}`
    const events = new Events(async (after, signal) => {
      const daemon = this.#daemon()
      const headers = { ...this.#headers, accept: "text/event-stream", ...(after && { "last-event-id": after }) }
      const request = { method: "GET", target, headers }
      const reply = await within(ms, signal, () => silent(daemon, ms), (ending) => open(daemon, request, { signal: ending, role: this.#role() }))
      if (reply.status === 200) return reply
      let text = ""
      for await (const part of reply.body) text += part.toString()
      throw refusal(reply.status, objectOf(() => text), reply.headers["retry-after"])
    }, options)
    await events.listen()
    return events
  }

  /**
   * Call any route, as in `request("GET /api/jobs/{job_id}", { path: { job_id: id } })`, and return its JSON answer.
   *
   * @template {keyof Routes} R
   * @param {R} route
   * @param {Fields<R>} [fields] `path`, `query` and `body`.
   * @param {CallOptions} [options]
   * @returns {Promise<Answer<R>>}
   */
  async request(route, fields, options) {
    checkOptions(route, options, CALL_OPTIONS)
    checkOptions(route, fields, REQUEST_OPTIONS)
    const { path = {}, query = {}, body } = /** @type {{ path?: {}, query?: {}, body?: Record<string, unknown> }} */ (fields ?? {})
    checkNames(route, { ...query, ...body })
    const [, method, template] = route.match(/^([A-Z]+) (\/\S*)$/) ?? []
    if (!method || !template) throw new InvalidError(`${JSON.stringify(route)} is not a route, such as "GET /api/jobs"`)
    const parts = /** @type {Record<string, unknown>} */ (path)
    const target = template.replace(/\{(\w+)\}/g, (_, name) => {
      if (parts[name] === undefined) throw new InvalidError(`${route} needs { path: { ${name}: … } }`)
      return segment(parts[name])
    }) + queryText(query)
    const ms = options?.timeoutMs ?? this.#timeoutMs()
    const isSafe = method === "GET" || SAFE.has(route) || typeof body?.idempotencyKey === "string"
    const most = isSafe ? (options?.retries ?? this.#options.retries ?? 2) : 0
    const daemon = this.#daemon()
    return within(ms, options?.signal, () => silent(daemon, ms), async (signal) => {
      for (let tries = 0; ; tries++) {
        try {
          return await this.#send(route, { method, target, body }, signal)
        } catch (error) {
          const wait = waitMs(error, tries)
          if (tries >= most || wait > MOST_PAUSE_MS) throw error
          await pause(wait, signal)
        }
      }
    })
  }

  /**
   * @param {string} route
   * @param {{ method: string, target: string, body: Record<string, unknown> | undefined }} request
   * @param {AbortSignal} signal
   */
  async #send(route, { method, target, body }, signal) {
    const sent = body && { "content-type": "application/json", "x-signet-sent-at": new Date().toISOString() }
    const headers = { ...this.#headers, ...sent }
    const request = { method, target, headers, content: body && JSON.stringify(body) }
    const reply = await exchange(this.#daemon(), request, { signal, role: this.#role() })
    const answer = objectOf(() => reply.text)
    if (reply.status >= 400 || answer === undefined) throw refusal(reply.status, answer, reply.headers["retry-after"])
    return /** @type {any} */ (answer)
  }

  /**
   * @template {"POST /api/hooks/session-end" | "POST /api/hooks/session-checkpoint-extract"} R
   * @param {R} route
   * @param {Body<R>} fields
   * @param {CallOptions & SpoolOptions} [given]
   * @returns {Promise<any>}
   */
  async #deliver(route, fields, given) {
    checkOptions(route, given, DELIVERY_OPTIONS)
    const { spool: isKept = false, ...options } = given ?? {}
    const sent = /** @type {Record<string, unknown>} */ (fields)
    // Messages become lines here, so that a kept call can be compared with a later one.
    const body = { ...sent, transcript: linesOf(sent.transcript) }
    try {
      return await this.request(route, /** @type {any} */ ({ body }), options)
    } catch (error) {
      if (!isKept || !mayPass(error)) throw error
      const { workspace, isElsewhere, url } = this.#daemon()
      const headers = Object.fromEntries(Object.entries(this.#headers).filter(([name]) => name.startsWith("x-signet-")))
      // As an ended session: the daemon stores the transcript, and a longer one replaces it.
      spool(workspace, { route: "/api/hooks/session-end", headers, body, daemon: isElsewhere ? url : "" })
      return { memoriesSaved: 0, queued: false, spooled: true }
    }
  }

  #daemon() {
    const { url, workspace, token } = this.#options
    return findDaemon({ url, workspace, token, env: this.#env })
  }

  #role() {
    return this.#options.role ?? "admin"
  }

  #timeoutMs() {
    return this.#options.timeoutMs ?? (Number(this.#env.SIGNET_FETCH_TIMEOUT) || TIMEOUT_MS)
  }
}

/** Return whether a call may succeed later: nothing refused its content. @param {unknown} error */
function mayPass(error) {
  if (!(error instanceof SignetError) || error instanceof InvalidError) return false
  return error.status === undefined || error.status >= 500 || error instanceof RateLimitedError
}

/** Return the time before a retry, Infinity if none helps. @param {unknown} error @param {number} tries */
function waitMs(error, tries) {
  const isBusy = (error instanceof RateLimitedError || error instanceof UnavailableError) && error.status !== undefined
  if (!(error instanceof ConnectionBrokenError) && (!isBusy || error.code === "mutations_frozen")) return Infinity
  return error.retryAfter === undefined ? FIRST_PAUSE_MS * 2 ** tries : error.retryAfter * 1000
}

/** Refuse a field that the route of a method does not know. @param {string} route @param {Record<string, unknown>} fields */
function checkNames(route, fields) {
  const known = FIELDS[route]?.split(" ")
  const odd = known && Object.keys(fields).find((name) => !known.includes(name.replace(/_(\w)/g, (_, one) => one.toUpperCase())))
  if (odd !== undefined) throw new InvalidError(`${route} has no field ${JSON.stringify(odd)}; it has: ${known?.join(", ")}`)
}

/** Encode an ID as one path segment; dots alone would name another route. @param {unknown} id */
function segment(id) {
  const text = attempt(() => encodeURIComponent(String(id))) || "%20"
  return /^\.\.?$/.test(text) ? text.replaceAll(".", "%2E") : text
}

/** @param {Record<string, unknown>} query */
function queryText(query) {
  const known = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(known.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}
