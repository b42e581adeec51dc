// Check options, so that a misspelt or unusable one is refused and not ignored.
import { InvalidError } from "./errors.js"

// A longer timer of JavaScript ends at once.
const MOST_MS = 2 ** 31 - 1

/** @typedef {[what: string, fits: (value: any) => boolean]} Kind */

/** @type {Kind} */
const TEXT = ["a text", (value) => typeof value === "string"]
/** @type {Kind} */
const MS = ["a number of milliseconds above 0", (value) => typeof value === "number" && value > 0 && value <= MOST_MS]
/** @type {Kind} */
const OBJECT = ["an object", (value) => typeof value === "object"]
/** @type {Kind} */
const COUNT = ["a whole number from 0", (value) => Number.isInteger(value) && value >= 0]
/** @type {Kind} */
const SIGNAL = ["an AbortSignal", (value) => typeof value === "object" && typeof value.aborted === "boolean"]

/** @type {Record<string, Kind>} */
export const CALL_OPTIONS = { signal: SIGNAL, timeoutMs: MS, retries: COUNT }
/** @type {Record<string, Kind>} */
export const DELIVERY_OPTIONS = { ...CALL_OPTIONS, spool: ["true or false", (value) => typeof value === "boolean"] }
/** @type {Record<string, Kind>} */
export const EVENTS_OPTIONS = { topics: ["an array of texts", Array.isArray], after: TEXT, reconnectMs: MS, signal: SIGNAL, timeoutMs: MS }
/** @type {Record<string, Kind>} */
export const CLIENT_OPTIONS = {
  ...{ url: TEXT, workspace: TEXT, token: TEXT, agentId: TEXT, actor: TEXT, actorType: TEXT },
  role: ['"admin" or "agent"', (value) => value === "admin" || value === "agent"],
  ...{ timeoutMs: MS, retries: COUNT, headers: OBJECT, env: OBJECT },
}
/** @type {Record<string, Kind>} */
export const REQUEST_OPTIONS = { path: OBJECT, query: OBJECT, body: OBJECT }

/**
 * Throw InvalidError for an option that is not known, or whose value is not usable. A value of null or undefined is none.
 *
 * @param {string} whose
 * @param {unknown} given
 * @param {Record<string, Kind>} known
 */
export function checkOptions(whose, given, known) {
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
