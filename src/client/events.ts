import { clientError } from './problem.ts'

/** One block of an event stream, between two empty lines. */
export type StreamBlock = {
  event: string
  /** null if the block has no data: only an id, a reconnection time or a comment. */
  data: string | null
  /** The id of the last block that had one. */
  lastEventId: string
}
/** Maximum number of characters of a block. A longer block shows that the stream is not from the service. */
const BLOCK_MAX = 1_048_576

/**
 * Parses an event stream (WHATWG HTML 9.2.6) from pieces that may end anywhere. An incomplete last block is discarded.
 * The pieces are decoded text without a byte order mark.
 */
export class EventParser {
  #event = ''
  #data: string[] = []
  /** Number of characters of the data, including line ends. */
  #size = 0
  #lastEventId: string
  #retry: number | undefined
  /** The incomplete last line. Its first `#scanned` characters contain no line end. */
  #rest = ''
  #scanned = 0
  #isAfterReturn = false

  constructor(lastEventId = '') {
    this.#lastEventId = lastEventId
  }

  /** Adds a piece of the stream. Returns the blocks that this piece completes. Throws UNREADABLE_ANSWER if a block exceeds the maximum. */
  push(text: string): StreamBlock[] {
    if (text === '') return []
    const blocks: StreamBlock[] = []
    this.#rest += this.#isAfterReturn && text.startsWith('\n') ? text.slice(1) : text
    this.#isAfterReturn = false
    for (let line = this.#nextLine(); line !== undefined; line = this.#nextLine()) {
      if (line === '') blocks.push(this.#end())
      else this.#take(line)
    }
    if (this.#rest.length + this.#size > BLOCK_MAX) {
      throw clientError('UNREADABLE_ANSWER', 'The stream sent a block without an end; check the address.')
    }
    return blocks
  }

  /** The reconnection time that the stream requests, in milliseconds; undefined if it requests none. */
  retry(): number | undefined {
    return this.#retry
  }

  #nextLine(): string | undefined {
    const rest = this.#rest
    const at = lineEnd(rest, this.#scanned)
    if (at < 0) {
      this.#scanned = rest.length
      return undefined
    }
    const isPair = rest[at] === '\r' && rest[at + 1] === '\n'
    this.#isAfterReturn = rest[at] === '\r' && at + 1 === rest.length
    this.#rest = rest.slice(at + (isPair ? 2 : 1))
    this.#scanned = 0
    return rest.slice(0, at)
  }

  #end(): StreamBlock {
    const [event, data] = [this.#event, this.#data]
    this.#event = ''
    this.#data = []
    this.#size = 0
    const isEmpty = data.length === 0 || (data.length === 1 && data[0] === '')
    return {
      event: event === '' ? 'message' : event,
      data: isEmpty ? null : data.join('\n'),
      lastEventId: this.#lastEventId,
    }
  }

  #take(line: string): void {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') {
      this.#data.push(value)
      this.#size += value.length + 1
    } else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#lastEventId = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retry = Number(value)
  }
}

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (text[at] === '\n' || text[at] === '\r') return at
  return -1
}
