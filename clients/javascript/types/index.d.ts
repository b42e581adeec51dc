// Compiled from src/ with the digest 04c5cbd04b04a83c32771136b2014326.
export { Signet } from "./signet.js";
export { Events } from "./events.js";
export { BadAnswerError, ConflictError, ConnectionBrokenError, DaemonNotRunningError, DaemonSilentError, ForbiddenError, InvalidError, NotFoundError, RateLimitedError, SignetError, TooLargeError, UnauthenticatedError, UnavailableError, } from "./errors.js";
export type LiveEvent = import("./events.js").LiveEvent;
export type CallOptions = import("./signet.js").CallOptions;
export type SignetOptions = import("./signet.js").SignetOptions;
export type SpoolOptions = import("./signet.js").SpoolOptions;
export type Routes = import("../types/api.d.ts").Routes;
/** @typedef {import("./events.js").LiveEvent} LiveEvent */
/** @typedef {import("./signet.js").CallOptions} CallOptions */
/** @typedef {import("./signet.js").SignetOptions} SignetOptions */
/** @typedef {import("./signet.js").SpoolOptions} SpoolOptions */
/** @typedef {import("../types/api.d.ts").Routes} Routes */
