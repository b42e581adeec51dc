// Live events of the daemon: Server-Sent Events that continue after a broken connection.
import { BadAnswerError, ConnectionBrokenError, RateLimitedError, UnavailableError } from "./errors.js"
import { FIRST_PAUSE_MS, MOST_PAUSE_MS, pause } from "./time.js"

// The daemon sends something every 15 s. A connection that is silent for three times as long is dead.
const SILENT_MS = 45_000
const MOST_CHARS = 1_000_000

/**
 * @typedef {object} LiveEvent A change in the daemon: names and IDs, no text.
 * @property {string} topic `memory`, `session`, `recall`, `job`, `process`, `health`, `config`, `task` or `log`.
 * @property {string} kind The change, such as `created`; `several` for more than one, `unknown` after a gap.
 * @property {string[]} ids IDs of memories, jobs or tasks, keys of sessions, or names of processes; 100 or fewer.
 * @property {number} count The number of changes.
 * @property {string | undefined} id The value for `after`, to continue behind this event.
 */

/**
 * @callback Open
 * @param {string | undefined} after
 * @param {AbortSignal} signal
 * @returns {Promise<{ body: AsyncGenerator<Uint8Array>, close: () => void }>}
 */

/**
 * Events for `for await`. Reconnects after a broken connection and continues behind the last event; some may be repeated.
 * `break`, `close()` or the signal ends it.
 *
 * @implements {AsyncIterableIterator<LiveEvent>}
 */
export class Events {
  /** How often the daemon could not send all events; read again what you know. */
  missed = 0
  /** The ID of the last event, for `after`. @type {string | undefined} */
  lastId
  #open
  #reconnectMs
  #outer
  #ending = new AbortController()
  #pauseMs = FIRST_PAUSE_MS
  /** @type {AsyncGenerator<Record<string, string>> | undefined} */
  #messages
  /** Closes the current connection. @type {(() => void) | undefined} */
  #cut

  /**
   * @internal
   * @param {Open} open
   * @param {{ after?: string, signal?: AbortSignal, reconnectMs?: number }} options
   */
  constructor(open, { after, signal, reconnectMs = 30_000 }) {
    this.#open = open
    this.#reconnectMs = reconnectMs
    this.#outer = signal
    this.lastId = after
    if (signal?.aborted) this.close()
    signal?.addEventListener("abort", () => this.close(), { once: true })
  }

  /** Connect; every later event will be received. @internal @returns {Promise<void>} */
  async listen() {
    this.#outer?.throwIfAborted()
    const reply = await this.#open(this.lastId, this.#ending.signal)
    this.#cut = reply.close
    this.#messages = read(reply)
    const first = await this.#messages.next()
    if (first.done || first.value.event !== "hello") throw new ConnectionBrokenError("The daemon sent no events")
    this.lastId = first.value.id ?? this.lastId
  }

  /** @returns {Promise<IteratorResult<LiveEvent, undefined>>} */
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

  /** @returns {Promise<IteratorResult<LiveEvent, undefined>>} */
  async return() {
    this.close()
    return { done: true, value: undefined }
  }

  /** End the stream. */
  close() {
    this.#ending.abort()
    this.#cut?.()
  }

  [Symbol.asyncIterator]() {
    return this
  }

  /** Return the next message, of a new connection where one has broken. */
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

  /** Connect again, for `reconnectMs` or less; then throw the last error. @param {unknown} error */
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

  /** Return the event in a message; undefined if it has none. @param {Record<string, string>} message */
  #taken({ id, event: topic, data }) {
    this.lastId = id ?? this.lastId
    if (topic === "missed") this.missed++
    if (topic === undefined || topic === "missed" || topic === "hello" || data === undefined) return undefined
    this.#pauseMs = FIRST_PAUSE_MS
    return /** @type {LiveEvent} */ ({ topic, ...JSON.parse(data), id })
  }
}

/** Return whether a new connection may help. @param {unknown} error */
function passes(error) {
  return error instanceof UnavailableError || error instanceof RateLimitedError
}

/**
 * Yield the messages of a body, fields by name. The connection is closed if it stays silent.
 *
 * @param {{ body: AsyncGenerator<Uint8Array>, close: () => void }} reply
 */
async function* read({ body, close }) {
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    const timer = setTimeout(close, SILENT_MS)
    const { done, value } = await body.next().finally(() => clearTimeout(timer))
    if (done) return
    text += decoder.decode(value, { stream: true })
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      /** @type {Record<string, string>} */
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
