// Transcripts as the daemon reads them. The daemon stores any text; what a program hands over must have messages.
import { InvalidError } from "./errors.js"
import { attempt, objectOf } from "./values.js"

const SPOKEN = new Set(["user", "human", "assistant", "ai", "model", "agent"])
const UNSPOKEN = new Set(["system", "developer", "tool", "function", "toolResult"])
const LABEL = /^[ \t]{0,3}(?:[*_>]{1,3}[ \t]*|#{1,6}[ \t]+)?(?:user|human|assistant|ai|claude|codex|agent)(?: \([^)\n]*\))?[ \t]*[*_]{0,3}[ \t]*(?::|$)/im
const FORMS = 'Pass [{ role: "user", content: "…" }, …], or a text with "User: …" and "Assistant: …"'

/**
 * Return a transcript as text, with one line of JSON for each message of an array. Throw InvalidError if it has no messages.
 *
 * @param {unknown} transcript
 * @returns {string | null | undefined}
 */
export function linesOf(transcript) {
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

/** @param {any} one @param {number} place */
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

/** @param {string} line */
function isRecord(line) {
  const found = line.trimStart().startsWith("{") ? objectOf(() => line) : undefined
  return found !== undefined && (typeof found.role === "string" || isOfLog(found))
}

/** Return whether a record is of a harness's log. @param {Record<string, unknown>} one */
function isOfLog({ type, speaker, message, payload }) {
  return [type, speaker].some((one) => typeof one === "string") || [message, payload].some((one) => one !== null && typeof one === "object")
}
