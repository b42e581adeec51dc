// The pause before the first retry; each further one is twice as long.
export const FIRST_PAUSE_MS = 100
export const MOST_PAUSE_MS = 5_000

/**
 * Run `work` with a signal that ends with `outer` or after `ms`. Throw the reason of the signal if it has ended.
 *
 * @template T
 * @param {number} ms
 * @param {AbortSignal | undefined} outer
 * @param {() => Error} late
 * @param {(signal: AbortSignal) => Promise<T>} work
 */
export async function within(ms, outer, late, work) {
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

/** Wait, or throw the reason of the signal. @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
export function pause(ms, signal) {
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
