/**
 * Return the result of `read`, or undefined if it throws.
 *
 * @template T
 * @param {() => T} read
 * @returns {T | undefined}
 */
export function attempt(read) {
  try {
    return read()
  } catch {
    return undefined
  }
}

/**
 * Return the JSON object that `read` returns as text; undefined if there is none.
 *
 * @param {() => string} read
 * @returns {Record<string, unknown> | undefined}
 */
export function objectOf(read) {
  const found = attempt(() => JSON.parse(read()))
  return found !== null && typeof found === "object" && !Array.isArray(found) ? found : undefined
}

/** Return text without outer blanks; undefined for blank text and other values. @param {unknown} value */
export function words(value) {
  return typeof value === "string" && value.trim() ? value.trim() : undefined
}
