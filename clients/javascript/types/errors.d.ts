/**
 * @typedef {object} ErrorFacts
 * @property {string} [code] Stable name of the error, for programs.
 * @property {number} [status] HTTP status of a refusal.
 * @property {Record<string, unknown>} [details] Other fields of the daemon's answer.
 * @property {number} [retryAfter] Seconds that the daemon asks to wait.
 * @property {unknown} [cause]
 */
export type ErrorFacts = {
    /**
     * Stable name of the error, for programs.
     */
    code?: string;
    /**
     * HTTP status of a refusal.
     */
    status?: number;
    /**
     * Other fields of the daemon's answer.
     */
    details?: Record<string, unknown>;
    /**
     * Seconds that the daemon asks to wait.
     */
    retryAfter?: number;
    cause?: unknown;
};
/** A call failed, or the daemon refused it. `message` says why and what to do. */
export declare class SignetError extends Error {
    /** Stable name of the error, for programs, such as `not_found`. */
    code: string;
    /** Other fields of the daemon's answer, such as `currentVersion`. */
    details: Record<string, unknown>;
    /** HTTP status of a refusal; undefined if no daemon answered. */
    status: number | undefined;
    /** Seconds that the daemon asks to wait. */
    retryAfter: number | undefined;
    /** Code of errors that name none. */
    static code: string;
    /**
     * @param {string} message
     * @param {ErrorFacts} [facts]
     */
    constructor(message: string, { code, status, details, retryAfter, cause }?: ErrorFacts);
}
/** The request or an option is not valid. */
export declare class InvalidError extends SignetError {
    static code: string;
}
/** The daemon requires a token: set SIGNET_TOKEN, or the option `token`. */
export declare class UnauthenticatedError extends SignetError {
    static code: string;
}
/** The caller may not do this. */
export declare class ForbiddenError extends SignetError {
    static code: string;
}
/** There is no such memory, session or route. */
export declare class NotFoundError extends SignetError {
    static code: string;
}
/** The state does not allow this; `details` may have `currentVersion` or `duplicateMemoryId`. */
export declare class ConflictError extends SignetError {
    static code: string;
}
/** The request is too large. */
export declare class TooLargeError extends SignetError {
    static code: string;
}
/** Too many requests; `retryAfter` has the seconds to wait. */
export declare class RateLimitedError extends SignetError {
    static code: string;
}
/** Not available right now; try again later. */
export declare class UnavailableError extends SignetError {
    static code: string;
}
/** No daemon listens. Start it with `signet daemon start`. */
export declare class DaemonNotRunningError extends UnavailableError {
    static code: string;
}
/** The daemon did not answer in time. */
export declare class DaemonSilentError extends UnavailableError {
    static code: string;
}
/** The connection broke before the answer was complete; a write may have happened. */
export declare class ConnectionBrokenError extends UnavailableError {
    static code: string;
}
/** The program that answers is not this workspace's daemon. Its answer is never used. */
export declare class BadAnswerError extends SignetError {
    static code: string;
}
/**
 * Return the error of a refusal, with the daemon's text, code and fields.
 *
 * @param {number} status
 * @param {Record<string, unknown> | undefined} body
 * @param {string | undefined} wait The header `retry-after`.
 */
export declare function refusal(status: number, body: Record<string, unknown> | undefined, wait: string | undefined): SignetError;
