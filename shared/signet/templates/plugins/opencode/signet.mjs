// Signet in OpenCode: what is remembered goes to the agent with its prompts, what was said goes to the memory.
// The tools come from the MCP server.
// Written by `signet harness install opencode`; changes are replaced. SIGNET_BYPASS=1 switches it off.
import { createHash, createHmac, randomBytes } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { homedir, tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { connect as connectTls } from "node:tls"

const { Signet: Client } = (() => {
class SignetError extends Error {
  static code = "internal"

  constructor(message, { code, status, details = {}, retryAfter, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    const made = /** @type {typeof SignetError} */ (new.target)
    this.name = made.name
    this.code = code ?? made.code
    this.details = details
    if (status !== undefined) {
      this.status = status
    }
    if (retryAfter !== undefined) {
      this.retryAfter = retryAfter
    }
  }
}

class InvalidError extends SignetError {
  static code = "invalid_request"
}

class UnauthenticatedError extends SignetError {
  static code = "unauthenticated"
}

class ForbiddenError extends SignetError {
  static code = "forbidden"
}

class NotFoundError extends SignetError {
  static code = "not_found"
}

class ConflictError extends SignetError {
  static code = "conflict"
}

class TooLargeError extends SignetError {
  static code = "too_large"
}

class RateLimitedError extends SignetError {
  static code = "limited"
}

class UnavailableError extends SignetError {
  static code = "unavailable"
}

class DaemonNotRunningError extends UnavailableError {
  static code = "daemon_not_running"
}

class DaemonSilentError extends UnavailableError {
  static code = "daemon_silent"
}

class ConnectionBrokenError extends UnavailableError {
  static code = "connection_broken"
}

class BadAnswerError extends SignetError {
  static code = "bad_answer"
}

const OF_STATUS = {
  400: InvalidError,
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: InvalidError,
  409: ConflictError,
  413: TooLargeError,
  422: InvalidError,
  429: RateLimitedError,
  503: UnavailableError,
}

function refusal(status, body, wait) {
  if (typeof body?.error !== "string") {
    return new BadAnswerError(`The daemon answered with status ${status} and no reason`, { status })
  }
  const { error, code, ...details } = body
  const seconds = Number(wait ?? body.retry_after ?? NaN)
  const retryAfter = seconds >= 0 ? seconds : undefined
  const kind = OF_STATUS[status] ?? SignetError
  return new kind(error, { code: typeof code === "string" ? code : undefined, status, details, retryAfter })
}

function attempt(read) {
  try {
    return read()
  } catch {
    return undefined
  }
}

function objectOf(read) {
  const found = attempt(() => JSON.parse(read()))
  return found !== null && typeof found === "object" && !Array.isArray(found) ? found : undefined
}

function words(value) {
  return typeof value === "string" && value.trim() ? value.trim() : undefined
}

// Find the daemon to call, in the order of the Python client: the option `url`, the option `workspace`, SIGNET_DAEMON_URL,
// SIGNET_HOST and SIGNET_PORT, the remote daemon that the workspace is connected to, the workspace's own daemon.

const DEFAULT_URL = "http://127.0.0.1:3850"
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i
// A longer path of the runtime folder does not fit a Unix socket.
const RUNTIME_PATH_LIMIT = 61




function findDaemon({ url, workspace: path, token, env }) {
  const workspace = workspaceAt(path === undefined ? chosenFolder(env) : resolve(path), env)
  const isChosen = path === undefined
  const named = url ?? (isChosen ? words(env.SIGNET_DAEMON_URL) : undefined)
  const start = `signet daemon start${isChosen ? "" : ` --path ${quoted(workspace.root)}`}`
  const own = { workspace, start, isOwn: true, isElsewhere: false, token: token ?? words(env.SIGNET_TOKEN) }
  if (named !== undefined) return { ...own, url: checked(named), isOwn: false }
  if (isChosen && (words(env.SIGNET_HOST) || words(env.SIGNET_PORT))) {
    const host = words(env.SIGNET_HOST) ?? "127.0.0.1"
    return { ...own, url: ofEnvironment(host, env), isOwn: LOOPBACK.test(host) }
  }
  const elsewhere = connection(workspace)
  if (elsewhere) return { ...own, ...elsewhere, token: own.token ?? elsewhere.token, isOwn: false, isElsewhere: true }
  return { ...own, url: recorded(workspace) ?? DEFAULT_URL }
}

function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`
}

function workspaceAt(root, env) {
  const daemon = join(root, ".daemon")
  return { root, daemon, socket: join(runtimeFolder(root, daemon, env), "api.sock"), spool: join(daemon, "spool") }
}

function runtimeFolder(root, daemon, env) {
  const near = join(daemon, "run")
  if (Buffer.byteLength(near) <= RUNTIME_PATH_LIMIT) return near
  const digest = createHash("sha256").update(root).digest("hex").slice(0, 16)
  return join(env.XDG_RUNTIME_DIR || tmpdir(), `signet-${process.getuid?.() ?? 0}-${digest}`)
}

function chosenFolder(env) {
  const home = env.HOME || homedir()
  const settings = join(env.XDG_CONFIG_HOME || join(home, ".config"), "signet", "workspace.json")
  const saved = objectOf(() => readFileSync(settings, "utf8"))?.workspace
  const chosen = words(env.SIGNET_PATH) ?? words(env.SIGNET_WORKSPACE) ?? words(saved) ?? "~/.agents"
  return resolve(chosen.replace(/^~(?=\/|$)/, home))
}

function ofEnvironment(host, env) {
  const port = words(env.SIGNET_PORT) ?? "3850"
  if (!/^\d{1,5}$/.test(port) || !(Number(port) > 0 && Number(port) < 65_536)) {
    throw new InvalidError(`SIGNET_PORT: ${JSON.stringify(port)} is not a port`)
  }
  return checked(`http://${host.includes(":") ? `[${host}]` : host}:${port}`)
}

function checked(url) {
  const { protocol, username, password } = attempt(() => new URL(url)) ?? {}
  if ((protocol === "http:" || protocol === "https:") && !username && !password) return url.replace(/\/+$/, "")
  throw new InvalidError(`${JSON.stringify(url)} is not the URL of a daemon, such as ${DEFAULT_URL}`)
}

function connection({ daemon }) {
  const file = join(daemon, "connection.json")
  let content = ""
  try {
    content = readFileSync(file, "utf8")
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return undefined
  }
  const found = objectOf(() => content)
  if (typeof found?.url !== "string") {
    throw new InvalidError(`${file} cannot be read. Connect again: signet connect URL --key KEY`, { code: "bad_connection" })
  }
  return { url: checked(found.url), token: words(found.key) }
}

function recorded({ daemon }) {
  const url = objectOf(() => readFileSync(join(daemon, "state.json"), "utf8"))?.url
  if (typeof url === "string" && url.startsWith("http")) return url
  const port = Number(attempt(() => readFileSync(join(daemon, "port"), "utf8").trim()))
  return port > 0 && port < 65_536 ? `http://127.0.0.1:${port}` : undefined
}

// The pause before the first retry; each further one is twice as long.
const FIRST_PAUSE_MS = 100
const MOST_PAUSE_MS = 5_000

async function within(ms, outer, late, work) {
  const ending = new AbortController()
  const stop = () => ending.abort(outer?.reason)
  if (outer?.aborted) stop()
  outer?.addEventListener("abort", stop, { once: true })
  const timer = setTimeout(() => ending.abort(late()), ms)
  try {
    ending.signal.throwIfAborted()
    return await new Promise((resolve, reject) => {
      // The limit holds even where a runtime does not report that a socket was destroyed.
      ending.signal.addEventListener("abort", reject, { once: true })
      work(ending.signal).then(resolve, reject)
    })
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener("abort", stop)
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener("abort", stop, { once: true })
  })
}

// Live events of the daemon: Server-Sent Events that continue after a broken connection.

// The daemon sends something every 15 s. A connection that is silent for three times as long is dead.
const SILENT_MS = 45_000
const MOST_CHARS = 1_000_000



class Events {
  missed = 0
  lastId
  #open
  #reconnectMs
  #outer
  #ending = new AbortController()
  #pauseMs = FIRST_PAUSE_MS
  #messages
  #cut

  constructor(open, { after, signal, reconnectMs = 30_000 }) {
    this.#open = open
    this.#reconnectMs = reconnectMs
    this.#outer = signal
    this.lastId = after
    if (signal?.aborted) this.close()
    signal?.addEventListener("abort", () => this.close(), { once: true })
  }

  async listen() {
    this.#outer?.throwIfAborted()
    const reply = await this.#open(this.lastId, this.#ending.signal)
    this.#cut = reply.close
    this.#messages = read(reply)
    const first = await this.#messages.next()
    if (first.done || first.value.event !== "hello") throw new ConnectionBrokenError("The daemon sent no events")
    this.lastId = first.value.id ?? this.lastId
  }

  async next() {
    try {
      for (;;) {
        const event = this.#taken(await this.#message())
        if (event) return { done: false, value: event }
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error
      this.#outer?.throwIfAborted()
      return { done: true, value: undefined }
    }
  }

  async return() {
    this.close()
    return { done: true, value: undefined }
  }

  close() {
    this.#ending.abort()
    this.#cut?.()
  }

  [Symbol.asyncIterator]() {
    return this
  }

  async #message() {
    for (;;) {
      try {
        const message = await this.#messages?.next()
        if (message && !message.done) return message.value
        await this.#reconnect(new ConnectionBrokenError("The daemon ended the stream of events"))
      } catch (error) {
        if (!passes(error)) throw error
        await this.#reconnect(error)
      }
    }
  }

  async #reconnect(error) {
    const until = Date.now() + this.#reconnectMs
    for (;;) {
      if (Date.now() + this.#pauseMs > until) throw error
      await pause(this.#pauseMs, this.#ending.signal)
      this.#pauseMs = Math.min(2 * this.#pauseMs, MOST_PAUSE_MS)
      try {
        return await this.listen()
      } catch (caught) {
        if (!passes(caught)) throw caught
        error = caught
      }
    }
  }

  #taken({ id, event: topic, data }) {
    this.lastId = id ?? this.lastId
    if (topic === "missed") this.missed++
    if (topic === undefined || topic === "missed" || topic === "hello" || data === undefined) return undefined
    this.#pauseMs = FIRST_PAUSE_MS
    return /** @type {LiveEvent} */ ({ topic, ...JSON.parse(data), id })
  }
}

function passes(error) {
  return error instanceof UnavailableError || error instanceof RateLimitedError
}

async function* read({ body, close }) {
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    const timer = setTimeout(close, SILENT_MS)
    const { done, value } = await body.next().finally(() => clearTimeout(timer))
    if (done) return
    text += decoder.decode(value, { stream: true })
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const message = {}
      for (const line of text.slice(0, end).split("\n")) {
        const colon = line.indexOf(":")
        if (colon > 0) message[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "")
      }
      yield message
    }
    if (text.length > MOST_CHARS) throw new BadAnswerError("The daemon sends no events")
  }
}

// Written from /openapi.json by `PYTHONPATH=tests python -m client.javascript`; not to be edited.

const FIELDS = {
  "POST /api/memory/remember": "agentId aspects changedBy content createdAt entities eventAt harness hints idempotencyKey importance ordinal origin pinned project scope sessionKey sourceId sourceType supersedes tags transcript type visibility who",
  "GET /api/memories": "agentId asOf before cursor eventSince eventUntil facets ids importanceMin limit notOrigin offset order origin pinned project q scope since sort sourceId sourceType space state stats tags total type unreviewed until who",
  "PATCH /api/memory/{memory_id}": "agentId changedBy content ifVersion importance pinned project reason sessionKey tags type who",
  "DELETE /api/memory/{memory_id}": "agentId changedBy erase force ifVersion reason sessionKey wrong",
  "GET /api/memory/{memory_id}": "agentId",
  "POST /api/memory/{memory_id}/recover": "agentId changedBy ifVersion reason sessionKey",
  "POST /api/memory/recall": "agentId asOf asPrompt cards community entities expand explain floor highlights importanceMin keywordQuery limit minScore now pinned project query scope sessionKey since tags timezone touch type until who whyNot",
  "POST /api/memory/context": "agentId id limit maxChars minScore page project prompt scope sessionKey",
  "POST /api/hooks/session-start": "agentId context cwd harness needsContext project repository runtimePath sessionId sessionKey",
  "POST /api/hooks/user-prompt-submit": "agentId cwd harness lastAssistantMessage memoryFeedback project repository runtimePath sessionKey transcript transcriptPath userMessage userPrompt",
  "POST /api/hooks/pre-compaction": "agentId harness project repository runtimePath sessionContext sessionKey",
  "POST /api/hooks/compaction-complete": "agentId harness idempotencyKey project repository runtimePath sessionKey summary",
  "POST /api/hooks/session-checkpoint-extract": "agentId cwd harness project reason repository runtimePath sessionId sessionKey transcript transcriptPath",
  "POST /api/hooks/session-end": "agentId cwd harness project reason repository runtimePath sessionId sessionKey transcript transcriptPath",
  "GET /api/sessions": "agentId cursor harness limit project since state until use",
  "POST /api/sessions/search": "agentId limit project query sessionKey",
  "GET /api/sessions/{session_key}/transcript": "agentId",
  "GET /api/status": "parts",
}

// Transcripts as the daemon reads them. The daemon stores any text; what a program hands over must have messages.

const SPOKEN = new Set(["user", "human", "assistant", "ai", "model", "agent"])
const UNSPOKEN = new Set(["system", "developer", "tool", "function", "toolResult"])
const LABEL = /^[ \t]{0,3}(?:[*_>]{1,3}[ \t]*|#{1,6}[ \t]+)?(?:user|human|assistant|ai|claude|codex|agent)(?: \([^)\n]*\))?[ \t]*[*_]{0,3}[ \t]*(?::|$)/im
const FORMS = 'Pass [{ role: "user", content: "…" }, …], or a text with "User: …" and "Assistant: …"'

function linesOf(transcript) {
  if (transcript === undefined || transcript === null) return transcript
  if (Array.isArray(transcript)) {
    transcript.forEach(checkMessage)
    return transcript.map((one) => JSON.stringify(one)).join("\n")
  }
  if (typeof transcript !== "string") throw new InvalidError(`transcript is ${typeof transcript === "object" ? "an object" : `a ${typeof transcript}`}, not messages. ${FORMS}`)
  if (transcript.trim() && !LABEL.test(transcript) && !transcript.split("\n").some(isRecord)) {
    const isArray = Array.isArray(attempt(() => JSON.parse(transcript)))
    throw new InvalidError(`transcript is ${isArray ? "the JSON of an array; pass the array itself" : "a text without speakers"}. ${FORMS}`)
  }
  return transcript
}

function checkMessage(one, place) {
  const refuse = (/** @type {string} */ why) => new InvalidError(`transcript[${place}] ${why}. ${FORMS}`)
  if (one === null || typeof one !== "object" || Array.isArray(one)) throw refuse("is not a message")
  const { role, content } = one
  if (role === undefined && !isOfLog(one)) throw refuse("has no role")
  if (role === undefined || UNSPOKEN.has(role)) return
  if (!SPOKEN.has(role)) throw refuse(`has the unknown role ${JSON.stringify(role)}; known: ${[...SPOKEN, ...UNSPOKEN].join(", ")}`)
  const isParts = Array.isArray(content) && content.every((part) => typeof part === "string" || (part !== null && typeof part === "object"))
  const hasOnlyCalls = (content ?? null) === null && (one.tool_calls ?? one.toolCalls) !== undefined
  if (typeof content !== "string" && !isParts && !hasOnlyCalls) throw refuse("has no content: a text, or an array of parts")
}

function isRecord(line) {
  const found = line.trimStart().startsWith("{") ? objectOf(() => line) : undefined
  return found !== undefined && (typeof found.role === "string" || isOfLog(found))
}

function isOfLog({ type, speaker, message, payload }) {
  return [type, speaker].some((one) => typeof one === "string") || [message, payload].some((one) => one !== null && typeof one === "object")
}

// Check options, so that a misspelt or unusable one is refused and not ignored.

// A longer timer of JavaScript ends at once.
const MOST_MS = 2 ** 31 - 1


const TEXT = ["a text", (value) => typeof value === "string"]
const MS = ["a number of milliseconds above 0", (value) => typeof value === "number" && value > 0 && value <= MOST_MS]
const OBJECT = ["an object", (value) => typeof value === "object"]
const COUNT = ["a whole number from 0", (value) => Number.isInteger(value) && value >= 0]
const SIGNAL = ["an AbortSignal", (value) => typeof value === "object" && typeof value.aborted === "boolean"]

const CALL_OPTIONS = { signal: SIGNAL, timeoutMs: MS, retries: COUNT }
const DELIVERY_OPTIONS = { ...CALL_OPTIONS, spool: ["true or false", (value) => typeof value === "boolean"] }
const EVENTS_OPTIONS = { topics: ["an array of texts", Array.isArray], after: TEXT, reconnectMs: MS, signal: SIGNAL, timeoutMs: MS }
const CLIENT_OPTIONS = {
  ...{ url: TEXT, workspace: TEXT, token: TEXT, agentId: TEXT, actor: TEXT, actorType: TEXT },
  role: ['"admin" or "agent"', (value) => value === "admin" || value === "agent"],
  ...{ timeoutMs: MS, retries: COUNT, headers: OBJECT, env: OBJECT },
}
const REQUEST_OPTIONS = { path: OBJECT, query: OBJECT, body: OBJECT }

function checkOptions(whose, given, known) {
  if (given === undefined || given === null) return
  const names = Object.keys(known).join(", ")
  if (typeof given !== "object" || Array.isArray(given)) throw new InvalidError(`${whose} takes its options as an object with: ${names}`)
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (!kind) throw new InvalidError(`${whose} has no option ${JSON.stringify(name)}; it has: ${names}`)
    // The error does not quote the value, which may be a token.
    if (value !== undefined && value !== null && !kind[1](value)) throw new InvalidError(`${whose}: ${name} must be ${kind[0]}`)
  }
}

// Keep a call that could not be delivered in a file of the workspace, as hooks do; the daemon takes it when it is back.

// The limits of signet/domain/sessions/spool.py.
const MOST_ENTRIES = 5_000
const MOST_BYTES = 512 * 1_048_576

function spool({ daemon: folder, spool }, call) {
  try {
    if (!existsSync(folder)) throw new Error(`${folder} does not exist`)
    mkdirSync(spool, { recursive: true, mode: 0o700 })
    const slot = createHash("sha256").update(JSON.stringify([call.route, call.body.sessionKey])).digest("hex").slice(0, 16)
    const waiting = readdirSync(spool).filter((name) => name.endsWith(".json"))
    const bytes = waiting.reduce((sum, name) => sum + (attempt(() => statSync(join(spool, name)).size) ?? 0), 0)
    if (waiting.length >= MOST_ENTRIES || bytes >= MOST_BYTES) throw new Error(`${waiting.length} calls wait in ${spool}`)
    const file = join(spool, `${orderedName()}-${slot}`)
    writeFileSync(`${file}.new`, JSON.stringify(call), { flag: "wx", mode: 0o600 })
    renameSync(`${file}.new`, `${file}.json`)
    for (const name of waiting.filter((one) => one.endsWith(`-${slot}.json`))) {
      if (isPart(join(spool, name), call.body.transcript)) attempt(() => unlinkSync(join(spool, name)))
    }
  } catch (error) {
    throw new UnavailableError(`The session was not kept: ${/** @type {Error} */ (error).message}`, { code: "not_spooled", cause: error })
  }
}

function isPart(file, transcript) {
  const body = /** @type {Record<string, unknown> | undefined} */ (objectOf(() => readFileSync(file, "utf8"))?.body)
  const before = body?.transcript
  return typeof before === "string" && before !== "" && typeof transcript === "string" && transcript.startsWith(before)
}

function orderedName() {
  const time = Date.now().toString(16).padStart(12, "0")
  const rest = randomBytes(10).toString("hex")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-a${rest.slice(3, 6)}-${rest.slice(6, 18)}`
}

// Read HTTP/1.1 answers from a socket: their length is stated, chunked, or the end of the connection (RFC 9112 §6.3).

const HEAD_BYTES = 65_536

class Malformed extends Error {
  constructor(message, isForeign = false) {
    super(message)
    this.isForeign = isForeign
  }
}

class Reader {
  #received = Buffer.alloc(0)
  #parts

  constructor(socket) {
    this.#parts = socket[Symbol.asyncIterator]()
  }

  async #more() {
    const { done, value } = await this.#parts.next()
    if (!done) this.#received = this.#received.length ? Buffer.concat([this.#received, value]) : value
    return !done
  }

  async #until(mark, most) {
    let end
    while ((end = this.#received.indexOf(mark)) < 0) {
      if (this.#received.length > most) throw new Malformed("it sent no HTTP answer", true)
      if (!(await this.#more())) throw new Malformed(this.#received.length ? "part of the answer is missing" : "it sent nothing")
    }
    const found = this.#received.toString("latin1", 0, end)
    this.#received = this.#received.subarray(end + mark.length)
    return found
  }

  async *#bytes(size) {
    for (let left = size; left > 0; ) {
      if (!this.#received.length && !(await this.#more())) throw new Malformed("part of the answer is missing")
      const part = this.#received.subarray(0, left)
      this.#received = this.#received.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async head(most = HEAD_BYTES) {
    while (this.#received.length < 5 && (await this.#more()));
    if (this.#received.length && !"HTTP/".startsWith(this.#received.toString("latin1", 0, 5))) throw new Malformed("it sent no HTTP answer", true)
    const [line = "", ...lines] = (await this.#until("\r\n\r\n", most)).split("\r\n")
    const status = Number(line.match(/^HTTP\/1\.[01] ([2-5]\d\d)(?: |$)/)?.[1])
    if (!status) throw new Malformed("it sent no HTTP answer", true)
    const headers = {}
    for (const one of lines) {
      const [, name, value] = one.match(/^([^\s:]+):(.*)$/) ?? []
      if (name === undefined || value === undefined) throw new Malformed("it sent an invalid header line")
      headers[name.toLowerCase()] = value.trim()
    }
    return { status, headers }
  }

  async *body(headers) {
    const length = headers["content-length"]
    if (headers["transfer-encoding"]?.toLowerCase() === "chunked") yield* this.#chunks()
    else if (length === undefined) yield* this.#rest()
    else if (/^\d{1,15}$/.test(length)) yield* this.#bytes(Number(length))
    else throw new Malformed("it sent an answer of the wrong length")
  }

  async whole(most) {
    const { headers } = await this.head(most)
    const length = Number(headers["content-length"] ?? NaN)
    if (!(length <= most)) throw new Malformed("it sent an answer of the wrong length")
    const parts = []
    for await (const part of this.#bytes(length)) parts.push(part)
    if (this.#received.length) throw new Malformed("it sent an answer of the wrong length")
    return Buffer.concat(parts)
  }

  async *#chunks() {
    for (;;) {
      const line = await this.#until("\r\n", HEAD_BYTES)
      const size = parseInt(line.match(/^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i)?.[1] ?? "", 16)
      if (Number.isNaN(size)) throw new Malformed("it sent an invalid chunk")
      if (!size) return
      yield* this.#bytes(size)
      if (await this.#until("\r\n", HEAD_BYTES)) throw new Malformed("it sent a chunk of the wrong length")
    }
  }

  async *#rest() {
    do {
      const part = this.#received
      this.#received = Buffer.alloc(0)
      if (part.length) yield part
    } while (await this.#more())
  }
}

// One exchange with the daemon over a socket of its own. It uses no proxy and follows no redirect.

const TOKEN_SECONDS = 900
const PROOF_BYTES = 16_384
const ANSWER_BYTES = 64 * 1_048_576
// Every answer of a daemon has this header.
const OURS = "x-signet-request-id"
const UNSENDABLE = /[\0-\x1f\x7f]/



async function exchange(daemon, request, options) {
  const { status, headers, body } = await open(daemon, request, options)
  const parts = []
  let size = 0
  for await (const part of body) {
    parts.push(part)
    if ((size += part.length) > ANSWER_BYTES) throw new BadAnswerError(`The answer is larger than ${ANSWER_BYTES} bytes`)
  }
  const text = Buffer.concat(parts).toString()
  if (!(OURS in headers) && !text.trimStart().startsWith("{")) throw foreign(daemon)
  return { status, headers, text }
}

async function open(daemon, request, { signal, role }) {
  let socket
  const stop = () => socket?.destroy()
  const close = () => {
    signal.removeEventListener("abort", stop)
    stop()
  }
  const told = (error) => {
    close()
    if (signal.aborted) return signal.reason
    if (error instanceof SignetError) return error
    if (error instanceof Malformed && error.isForeign) return foreign(daemon)
    return new ConnectionBrokenError(`The connection to ${daemon.url} broke: ${/** @type {Error} */ (error).message}`, { cause: error })
  }
  async function* guarded(parts) {
    try {
      yield* parts
    } catch (error) {
      throw told(error)
    } finally {
      close()
    }
  }
  signal.addEventListener("abort", stop, { once: true })
  try {
    const found = await connected(daemon, request.headers, role, (made) => {
      socket = made.on("error", () => {}) // the waiting call gets it
      if (signal.aborted) stop()
    })
    signal.throwIfAborted()
    found.socket.write(written(daemon, { ...request, headers: { ...found.headers, ...request.headers } }))
    const { status, headers } = await found.reader.head()
    return { status, headers, body: guarded(found.reader.body(headers)), close }
  } catch (error) {
    throw told(error)
  }
}

async function connected(daemon, headers, role, take) {
  const named = daemon.token ? { authorization: `Bearer ${daemon.token}` } : {}
  const path = daemon.isOwn && socketPath(daemon.workspace)
  const local = path && (await linked(connect({ path }), take).catch(() => undefined))
  if (local) return { socket: local, reader: new Reader(local), headers: named }
  const key = daemon.isOwn ? workspaceToken(daemon) : undefined
  const { protocol, hostname, port } = new URL(daemon.url)
  const host = hostname.replace(/^\[|\]$/g, "")
  const isTls = protocol === "https:"
  const place = { host, port: Number(port) || (isTls ? 443 : 80) }
  const socket = await linked(isTls ? connectTls({ ...place, servername: host }) : connect(place), take, isTls).catch((error) => {
    throw absent(daemon, error)
  })
  socket.setNoDelay(true)
  const reader = new Reader(socket)
  if (key === undefined) return { socket, reader, headers: named }
  await prove(daemon, { socket, reader, key, port: place.port })
  return { socket, reader, headers: { authorization: `Bearer ${ownToken(key, headers["x-signet-actor"] ?? "", role)}`, ...named } }
}

function linked(socket, take, isTls = false) {
  take(socket)
  return new Promise((resolve, reject) => {
    const fail = (/** @type {unknown} */ error) => reject(error instanceof Error ? error : new Error("the connection was closed"))
    socket.once("error", fail).once("close", fail).once(isTls ? "secureConnect" : "connect", () => {
      socket.off("error", fail).off("close", fail)
      resolve(socket)
    })
  })
}

async function prove(daemon, { socket, reader, key, port }) {
  const nonce = randomBytes(16).toString("hex")
  const wanted = createHmac("sha256", key).update(`signet-server-proof\0${nonce}\0${port}`).digest("hex")
  const { host } = new URL(daemon.url)
  socket.write(`GET /api/auth/proof?nonce=${nonce} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  const found = await reader.whole(PROOF_BYTES).catch((error) => {
    if (error instanceof Malformed) return undefined
    throw error
  })
  if (found && objectOf(() => found.toString())?.proof === wanted) return
  throw new BadAnswerError(
    `Another program answers on port ${port}, not the Signet daemon of ${daemon.workspace.root}. Nothing was sent to it. ` +
      "To start Signet on another port: signet daemon start --port NUMBER",
    { code: "other_program" },
  )
}

function socketPath({ socket: path }) {
  try {
    const [folder, socket] = [lstatSync(dirname(path)), lstatSync(path)]
    const isPrivate = folder.isDirectory() && !(folder.mode & 0o022)
    const isOurs = folder.uid === process.getuid?.() && socket.uid === folder.uid
    return isPrivate && isOurs && socket.isSocket() ? path : undefined
  } catch {
    return undefined
  }
}

function workspaceToken(daemon) {
  const file = join(daemon.workspace.daemon, "token")
  try {
    if (process.platform !== "win32" && statSync(file).mode & 0o077) {
      throw new UnavailableError(`${file} is readable by other users. Run: signet daemon restart`, { code: "bad_auth_secret" })
    }
    return readFileSync(file)
  } catch (error) {
    if (error instanceof SignetError) throw error
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === "ENOENT") throw absent(daemon, error)
    throw new UnavailableError(
      `The daemon of ${daemon.workspace.root} cannot prove its identity: ${message}. To call it anyway: SIGNET_DAEMON_URL=${daemon.url}`,
      { code: "token_unreadable", cause: error },
    )
  }
}

function ownToken(key, sub, role) {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { sub, role, scope: {}, iat, exp: iat + TOKEN_SECONDS, own: true }
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url")
  return `${payload}.${createHmac("sha256", key).update(payload).digest("base64url")}`
}

function written(daemon, { method, target, headers, content = "" }) {
  const { host, pathname } = new URL(daemon.url)
  const known = { host, connection: "close", "accept-encoding": "identity", ...headers }
  const length = content || method !== "GET" ? { "content-length": Buffer.byteLength(content) } : {}
  const lines = Object.entries({ ...known, ...length }).map(([name, value]) => {
    // The error does not quote the value, which may be a token.
    if (UNSENDABLE.test(`${name}${value}`)) throw new InvalidError(`The header ${name} has a line break or a control character`)
    return `${name}: ${value}`
  })
  return [`${method} ${pathname.replace(/\/$/, "")}${target} HTTP/1.1`, ...lines, "", content].join("\r\n")
}

function absent(daemon, cause) {
  return new DaemonNotRunningError(
    daemon.isElsewhere
      ? `The daemon at ${daemon.url}, which this machine is connected to, cannot be reached. To try again: signet connect`
      : daemon.isOwn
        ? `The daemon of ${daemon.workspace.root} is not running. Start it with: ${daemon.start}`
        : `No daemon answers at ${daemon.url}`,
    { cause },
  )
}

function silent(daemon, ms) {
  return new DaemonSilentError(`${daemon.url} did not answer within ${ms / 1000} s. To find out why: signet doctor`)
}

function foreign(daemon) {
  return new BadAnswerError(`Another program, not Signet, answers at ${daemon.url}. Nothing of its answer was used`)
}

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











class Signet {
  #options
  #env
  #headers

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

  get url() {
    return this.#daemon().url
  }

  remember(content, fields, options) {
    return this.request("POST /api/memory/remember", { body: { ...fields, content } }, options)
  }

  recall(query, fields, options) {
    return this.request("POST /api/memory/recall", { body: { ...fields, query } }, options)
  }

  async context(prompt, fields, options) {
    const found = await this.request("POST /api/memory/context", { body: { ...fields, prompt } }, options)
    return /** @type {Context} */ (found)
  }

  memory(id, options) {
    return this.request("GET /api/memory/{memory_id}", { path: { memory_id: id } }, options)
  }

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

  modify(id, fields, options) {
    return this.request("PATCH /api/memory/{memory_id}", { path: { memory_id: id }, body: fields }, options)
  }

  forget(id, fields, options) {
    return this.request("DELETE /api/memory/{memory_id}", { path: { memory_id: id }, query: fields }, options)
  }

  recover(id, fields, options) {
    return this.request("POST /api/memory/{memory_id}/recover", { path: { memory_id: id }, body: fields }, options)
  }

  async *sessions(fields, options) {
    let cursor = null
    do {
      const query = { ...fields, state: /** @type {const} */ ("all"), limit: PAGE, cursor: cursor ?? undefined }
      const page = /** @type {SessionPage} */ (await this.request("GET /api/sessions", { query }, options))
      yield* page.sessions
      cursor = page.next
    } while (cursor !== null)
  }

  transcript(key, options) {
    return this.request("GET /api/sessions/{session_key}/transcript", { path: { session_key: key } }, options)
  }

  async searchSessions(query, fields, options) {
    return (await this.request("POST /api/sessions/search", { body: { ...fields, query } }, options)).results
  }

  startSession(fields, options) {
    return this.request("POST /api/hooks/session-start", { body: fields }, options)
  }

  async submitPrompt(fields, options) {
    linesOf(fields.transcript)
    return this.request("POST /api/hooks/user-prompt-submit", { body: fields }, options)
  }

  endTurn(fields, options) {
    return this.#deliver("POST /api/hooks/session-checkpoint-extract", fields, options)
  }

  endSession(fields, options) {
    return this.#deliver("POST /api/hooks/session-end", fields, options)
  }

  beforeCompaction(fields, options) {
    return this.request("POST /api/hooks/pre-compaction", { body: fields }, options)
  }

  afterCompaction(fields, options) {
    return this.request("POST /api/hooks/compaction-complete", { body: fields }, options)
  }

  status(options) {
    return this.request("GET /api/status", {}, options)
  }

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

  async #send(route, { method, target, body }, signal) {
    const sent = body && { "content-type": "application/json", "x-signet-sent-at": new Date().toISOString() }
    const headers = { ...this.#headers, ...sent }
    const request = { method, target, headers, content: body && JSON.stringify(body) }
    const reply = await exchange(this.#daemon(), request, { signal, role: this.#role() })
    const answer = objectOf(() => reply.text)
    if (reply.status >= 400 || answer === undefined) throw refusal(reply.status, answer, reply.headers["retry-after"])
    return /** @type {any} */ (answer)
  }

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

function mayPass(error) {
  if (!(error instanceof SignetError) || error instanceof InvalidError) return false
  return error.status === undefined || error.status >= 500 || error instanceof RateLimitedError
}

function waitMs(error, tries) {
  const isBusy = (error instanceof RateLimitedError || error instanceof UnavailableError) && error.status !== undefined
  if (!(error instanceof ConnectionBrokenError) && (!isBusy || error.code === "mutations_frozen")) return Infinity
  return error.retryAfter === undefined ? FIRST_PAUSE_MS * 2 ** tries : error.retryAfter * 1000
}

function checkNames(route, fields) {
  const known = FIELDS[route]?.split(" ")
  const odd = known && Object.keys(fields).find((name) => !known.includes(name.replace(/_(\w)/g, (_, one) => one.toUpperCase())))
  if (odd !== undefined) throw new InvalidError(`${route} has no field ${JSON.stringify(odd)}; it has: ${known?.join(", ")}`)
}

function segment(id) {
  const text = attempt(() => encodeURIComponent(String(id))) || "%20"
  return /^\.\.?$/.test(text) ? text.replaceAll(".", "%2E") : text
}

function queryText(query) {
  const known = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(known.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

return { Signet }
})()

// Transcripts from the messages of a harness.

// The answer of a call, or null if there is none in time: nothing ever throws into the harness.
const quiet = (call, log = () => {}) =>
  call.catch((error) => {
    log(error.message)
    return null
  })

// The text of a message, whose content is a text or a list of parts.
function textOf(content) {
  const parts = typeof content === "string" ? [content] : (content ?? []).filter((one) => one.type === "text" && !one.synthetic).map((one) => one.metadata?.signet ?? one.text)
  return parts.join("\n").trim()
}

// Of what goes into a tool, and comes out of it, so much is handed over; and of all tools of a session, newest first.
const TOOL_CHARS = 8_000
const TOOLS_CHARS = 1_000_000

// The calls of tools among the parts of a message, with what OpenCode says that they answered.
function toolsOf(content) {
  const parts = Array.isArray(content) ? content.filter((one) => one.type === "tool" || one.type === "toolCall") : []
  const kept = parts.map(({ type, id, callID, tool, name, arguments: given, state }) => {
    return { type, id, callID, tool, name, arguments: given, state: state && { input: state.input, output: state.output } }
  })
  return JSON.parse(JSON.stringify(kept, (_name, value) => (typeof value === "string" ? value.slice(0, TOOL_CHARS) : value)))
}

// What was said and done, as lines of JSON that keep the times of messages; `timestamp` is in milliseconds.
function transcriptOf(messages) {
  let room = TOOLS_CHARS
  const fits = (one) => (room -= JSON.stringify(one).length) >= 0
  const lines = []
  for (const { role, content, timestamp, toolCallId } of [...messages].reverse()) {
    const text = textOf(content)
    const result = { type: role, toolCallId, content: text.slice(0, TOOL_CHARS) }
    if (role === "toolResult" && fits(result)) lines.push(result)
    if (role !== "user" && role !== "assistant") continue
    const tools = toolsOf(content)
    const said = tools.length && fits(tools) ? [{ type: "text", text }, ...tools] : text
    if (said) lines.push({ role, content: said, timestamp })
  }
  return lines.reverse().map((one) => JSON.stringify(one)).join("\n")
}

const START = { timeoutMs: 2_000 }
const PROMPT = { timeoutMs: 2_000 }
const LATER = { timeoutMs: 10_000, spool: true }

// So that nobody takes it for the person's words; what is memory in it is enclosed for itself.
const wrapped = (text) => `<signet-context>\n${text}\n</signet-context>`

// A compaction stores its summary as a message of the assistant.
const isSaid = ({ info }) => !(info.role === "assistant" && info.summary)

export const Signet = async ({ client: opencode, directory, worktree } = {}) => {
  const env = process.env
  if (env.SIGNET_ENABLED === "false" || env.SIGNET_BYPASS === "1") return {}
  const signet = new Client({
    workspace: "@workspace",
    url: env.SIGNET_DAEMON_URL || undefined,
    role: "agent",
    actor: "opencode-plugin",
    actorType: "harness",
    headers: { "x-signet-harness": "opencode", "x-signet-runtime-path": "plugin" },
  })
  const project = worktree && worktree !== "/" ? worktree : directory
  const about = { harness: "opencode", runtimePath: "plugin", project, agentId: env.SIGNET_AGENT_ID || undefined }
  const sessions = new Map()

  function session(key) {
    if (!sessions.has(key)) sessions.set(key, { context: "", told: new Map(), transcript: "", isCompacting: false })
    const known = sessions.get(key)
    if (!known.context) known.started ??= start(key, known)
    return known
  }

  // A start that got no answer is tried again at the next prompt.
  async function start(key, known) {
    const told = await quiet(signet.startSession({ ...about, sessionKey: key, needsContext: true }, START))
    known.context = told?.inject || told?.recentContext || ""
    known.started = undefined
  }

  async function messagesOf(key) {
    try {
      const told = await opencode.session.messages({ path: { id: key } })
      return told.data ?? []
    } catch {
      return []
    }
  }

  async function heard(key) {
    const messages = await messagesOf(key)
    const said = transcriptOf(
      messages.filter(isSaid).map(({ info, parts }) => ({ role: info.role, content: parts, timestamp: info.time?.created })),
    )
    const known = sessions.get(key)
    if (known && said) known.transcript = said
    return said || known?.transcript
  }

  async function ended(key, reason) {
    const transcript = sessions.get(key)?.transcript ?? ""
    sessions.delete(key)
    await quiet(signet.endSession({ ...about, sessionKey: key, transcript, reason }, LATER))
  }

  async function summarized(key) {
    const messages = await messagesOf(key)
    const last = messages.findLast((one) => !isSaid(one))
    const summary = last && textOf(last.parts)
    if (summary) await quiet(signet.afterCompaction({ ...about, sessionKey: key, summary }, LATER))
  }

  return {
    // The person typed the command; the text of its file is not theirs. OpenCode stores the mark with the part.
    "command.execute.before": async ({ command, arguments: given }, { parts }) => {
      const said = `/${command} ${given ?? ""}`.trim()
      const texts = (parts ?? []).filter((one) => one.type === "text")
      for (const [place, one] of texts.entries()) one.metadata = { ...one.metadata, signet: place ? "" : said }
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const known = session(sessionID)
      const text = textOf(parts)
      if (!text) return
      await known.started // what a session begins with is not told again with its first prompt
      const told = await quiet(signet.submitPrompt({ ...about, sessionKey: sessionID, userMessage: text }, PROMPT))
      if (told?.inject) known.told.set(message.id, told.inject)
    },
    // Called for each request of the agent itself, and for none that asks for a title. Each text goes with the message
    // that it was found for, in every request that holds this message, so that providers can cache what comes before.
    "experimental.chat.messages.transform": async (_input, { messages }) => {
      const known = sessions.get(messages[0]?.info.sessionID)
      if (!known) return
      if (known.isCompacting) {
        known.isCompacting = false
        return
      }
      let context = known.context
      for (const [place, { info, parts }] of messages.entries()) {
        if (info.role !== "user") continue
        const text = [context, known.told.get(info.id)].filter(Boolean).join("\n\n")
        context = ""
        if (!text) continue
        const added = { id: `prt_signet_${info.id}`, sessionID: info.sessionID, messageID: info.id }
        // A new message: the one that is there is also read for the title.
        messages[place] = { info, parts: [{ ...added, type: "text", synthetic: true, text: wrapped(text) }, ...parts] }
      }
    },
    "experimental.session.compacting": async ({ sessionID }, { context }) => {
      const known = sessions.get(sessionID)
      if (known) known.isCompacting = true
      const told = await quiet(signet.beforeCompaction({ ...about, sessionKey: sessionID }, PROMPT))
      const text = told?.guidelines || known?.context
      if (text) context.push(text)
    },
    event: async ({ event }) => {
      const key = event.properties?.sessionID ?? event.properties?.info?.id
      if (!key) return
      if (event.type === "session.created") await session(key).started
      if (event.type === "session.compacted" && sessions.has(key)) sessions.get(key).isCompacting = false
      if (event.type === "session.compacted") await summarized(key)
      if (event.type === "session.idle") {
        const transcript = await heard(key)
        // A turn has ended, not the session.
        const turn = { ...about, sessionKey: key, transcript, reason: event.type }
        if (transcript) await quiet(signet.endTurn(turn, LATER))
      }
      if (event.type === "session.deleted") await ended(key, "deleted")
    },
  }
}
