export type LiveEvent = {
    /**
     * `memory`, `session`, `recall`, `job`, `process`, `health`, `config`, `task` or `log`.
     */
    topic: string;
    /**
     * The change, such as `created`; `several` for more than one, `unknown` after a gap.
     */
    kind: string;
    /**
     * IDs of memories, jobs or tasks, keys of sessions, or names of processes; 100 or fewer.
     */
    ids: string[];
    /**
     * The number of changes.
     */
    count: number;
    /**
     * The value for `after`, to continue behind this event.
     */
    id: string | undefined;
};
export type Open = (after: string | undefined, signal: AbortSignal) => Promise<{
    body: AsyncGenerator<Uint8Array>;
    close: () => void;
}>;
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
export declare class Events implements AsyncIterableIterator<LiveEvent> {
    #private;
    /** How often the daemon could not send all events; read again what you know. */
    missed: number;
    /** The ID of the last event, for `after`. @type {string | undefined} */
    lastId: string | undefined;
    /**
     * @internal
     * @param {Open} open
     * @param {{ after?: string, signal?: AbortSignal, reconnectMs?: number }} options
     */
    constructor(open: Open, { after, signal, reconnectMs }: {
        after?: string;
        signal?: AbortSignal;
        reconnectMs?: number;
    });
    /** Connect; every later event will be received. @internal @returns {Promise<void>} */
    listen(): Promise<void>;
    /** @returns {Promise<IteratorResult<LiveEvent, undefined>>} */
    next(): Promise<IteratorResult<LiveEvent, undefined>>;
    /** @returns {Promise<IteratorResult<LiveEvent, undefined>>} */
    return(): Promise<IteratorResult<LiveEvent, undefined>>;
    /** End the stream. */
    close(): void;
    [Symbol.asyncIterator](): this;
}
