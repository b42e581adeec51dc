// Read HTTP/1.1 answers from a socket: their length is stated, chunked, or the end of the connection (RFC 9112 §6.3).

const HEAD_BYTES = 65_536

/** Not an HTTP answer, or an incomplete one; `isForeign` if it is another protocol. */
export class Malformed extends Error {
  /** @param {string} message @param {boolean} [isForeign] */
  constructor(message, isForeign = false) {
    super(message)
    this.isForeign = isForeign
  }
}

/** The bytes that a socket receives, as parts of answers. */
export class Reader {
  /** @type {Buffer} */
  #received = Buffer.alloc(0)
  /** @type {AsyncIterator<Buffer>} */
  #parts

  /** @param {import("node:net").Socket} socket */
  constructor(socket) {
    this.#parts = socket[Symbol.asyncIterator]()
  }

  /** Receive more; return false at the end of the connection. */
  async #more() {
    const { done, value } = await this.#parts.next()
    if (!done) this.#received = this.#received.length ? Buffer.concat([this.#received, value]) : value
    return !done
  }

  /** Remove and return the bytes before `end`, and the mark after them. @param {string} mark @param {number} most */
  async #until(mark, most) {
    let end
    while ((end = this.#received.indexOf(mark)) < 0) {
      if (this.#received.length > most) throw new Malformed("it sent no HTTP answer", true)
      if (!(await this.#more())) throw new Malformed(this.#received.length ? "part of the answer is missing" : "it sent nothing")
    }
    const found = this.#received.toString("latin1", 0, end)
    this.#received = this.#received.subarray(end + mark.length)
    return found
  }

  /** Yield `size` bytes in parts. @param {number} size */
  async *#bytes(size) {
    for (let left = size; left > 0; ) {
      if (!this.#received.length && !(await this.#more())) throw new Malformed("part of the answer is missing")
      const part = this.#received.subarray(0, left)
      this.#received = this.#received.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  /** Return status and headers, with names in lower case. */
  async head(most = HEAD_BYTES) {
    while (this.#received.length < 5 && (await this.#more()));
    if (this.#received.length && !"HTTP/".startsWith(this.#received.toString("latin1", 0, 5))) throw new Malformed("it sent no HTTP answer", true)
    const [line = "", ...lines] = (await this.#until("\r\n\r\n", most)).split("\r\n")
    const status = Number(line.match(/^HTTP\/1\.[01] ([2-5]\d\d)(?: |$)/)?.[1])
    if (!status) throw new Malformed("it sent no HTTP answer", true)
    /** @type {Record<string, string>} */
    const headers = {}
    for (const one of lines) {
      const [, name, value] = one.match(/^([^\s:]+):(.*)$/) ?? []
      if (name === undefined || value === undefined) throw new Malformed("it sent an invalid header line")
      headers[name.toLowerCase()] = value.trim()
    }
    return { status, headers }
  }

  /** Yield the body that follows a head. @param {Record<string, string>} headers @returns {AsyncGenerator<Buffer>} */
  async *body(headers) {
    const length = headers["content-length"]
    if (headers["transfer-encoding"]?.toLowerCase() === "chunked") yield* this.#chunks()
    else if (length === undefined) yield* this.#rest()
    else if (/^\d{1,15}$/.test(length)) yield* this.#bytes(Number(length))
    else throw new Malformed("it sent an answer of the wrong length")
  }

  /** Return one answer of a stated length of `most` bytes or less; the connection stays open. @param {number} most */
  async whole(most) {
    const { headers } = await this.head(most)
    const length = Number(headers["content-length"] ?? NaN)
    if (!(length <= most)) throw new Malformed("it sent an answer of the wrong length")
    const parts = []
    for await (const part of this.#bytes(length)) parts.push(part)
    if (this.#received.length) throw new Malformed("it sent an answer of the wrong length")
    return Buffer.concat(parts)
  }

  async *#chunks() {
    for (;;) {
      const line = await this.#until("\r\n", HEAD_BYTES)
      const size = parseInt(line.match(/^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i)?.[1] ?? "", 16)
      if (Number.isNaN(size)) throw new Malformed("it sent an invalid chunk")
      if (!size) return
      yield* this.#bytes(size)
      if (await this.#until("\r\n", HEAD_BYTES)) throw new Malformed("it sent a chunk of the wrong length")
    }
  }

  async *#rest() {
    do {
      const part = this.#received
      this.#received = Buffer.alloc(0)
      if (part.length) yield part
    } while (await this.#more())
  }
}
