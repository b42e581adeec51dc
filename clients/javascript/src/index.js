export { Signet } from "./signet.js"
export { Events } from "./events.js"
export {
  BadAnswerError,
  ConflictError,
  ConnectionBrokenError,
  DaemonNotRunningError,
  DaemonSilentError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  RateLimitedError,
  SignetError,
  TooLargeError,
  UnauthenticatedError,
  UnavailableError,
} from "./errors.js"

/** @typedef {import("./events.js").LiveEvent} LiveEvent */
/** @typedef {import("./signet.js").CallOptions} CallOptions */
/** @typedef {import("./signet.js").SignetOptions} SignetOptions */
/** @typedef {import("./signet.js").SpoolOptions} SpoolOptions */
/** @typedef {import("../types/api.d.ts").Routes} Routes */
