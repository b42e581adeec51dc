/**
 * @typedef {object} ErrorFacts
 * @property {string} [code] Stable name of the error, for programs.
 * @property {number} [status] HTTP status of a refusal.
 * @property {Record<string, unknown>} [details] Other fields of the daemon's answer.
 * @property {number} [retryAfter] Seconds that the daemon asks to wait.
 * @property {unknown} [cause]
 */

/** A call failed, or the daemon refused it. `message` says why and what to do. */
export class SignetError extends Error {
  /** Code of errors that name none. */
  static code = "internal"

  /**
   * @param {string} message
   * @param {ErrorFacts} [facts]
   */
  constructor(message, { code, status, details = {}, retryAfter, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    const made = /** @type {typeof SignetError} */ (new.target)
    this.name = made.name
    /** Stable name of the error, for programs, such as `not_found`. */
    this.code = code ?? made.code
    /** Other fields of the daemon's answer, such as `currentVersion`. */
    this.details = details
    if (status !== undefined) {
      /** HTTP status of a refusal; undefined if no daemon answered. */
      this.status = status
    }
    if (retryAfter !== undefined) {
      /** Seconds that the daemon asks to wait. */
      this.retryAfter = retryAfter
    }
  }
}

/** The request or an option is not valid. */
export class InvalidError extends SignetError {
  static code = "invalid_request"
}

/** The daemon requires a token: set SIGNET_TOKEN, or the option `token`. */
export class UnauthenticatedError extends SignetError {
  static code = "unauthenticated"
}

/** The caller may not do this. */
export class ForbiddenError extends SignetError {
  static code = "forbidden"
}

/** There is no such memory, session or route. */
export class NotFoundError extends SignetError {
  static code = "not_found"
}

/** The state does not allow this; `details` may have `currentVersion` or `duplicateMemoryId`. */
export class ConflictError extends SignetError {
  static code = "conflict"
}

/** The request is too large. */
export class TooLargeError extends SignetError {
  static code = "too_large"
}

/** Too many requests; `retryAfter` has the seconds to wait. */
export class RateLimitedError extends SignetError {
  static code = "limited"
}

/** Not available right now; try again later. */
export class UnavailableError extends SignetError {
  static code = "unavailable"
}

/** No daemon listens. Start it with `signet daemon start`. */
export class DaemonNotRunningError extends UnavailableError {
  static code = "daemon_not_running"
}

/** The daemon did not answer in time. */
export class DaemonSilentError extends UnavailableError {
  static code = "daemon_silent"
}

/** The connection broke before the answer was complete; a write may have happened. */
export class ConnectionBrokenError extends UnavailableError {
  static code = "connection_broken"
}

/** The program that answers is not this workspace's daemon. Its answer is never used. */
export class BadAnswerError extends SignetError {
  static code = "bad_answer"
}

/** @type {Record<number, typeof SignetError>} */
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

/**
 * Return the error of a refusal, with the daemon's text, code and fields.
 *
 * @param {number} status
 * @param {Record<string, unknown> | undefined} body
 * @param {string | undefined} wait The header `retry-after`.
 */
export function refusal(status, body, wait) {
  if (typeof body?.error !== "string") {
    return new BadAnswerError(`The daemon answered with status ${status} and no reason`, { status })
  }
  const { error, code, ...details } = body
  const seconds = Number(wait ?? body.retry_after ?? NaN)
  const retryAfter = seconds >= 0 ? seconds : undefined
  const kind = OF_STATUS[status] ?? SignetError
  return new kind(error, { code: typeof code === "string" ? code : undefined, status, details, retryAfter })
}
