import { clientError } from './problem.ts'

/** One block of an event stream, between two empty lines. */
export type StreamBlock = {
  event: string
  /** null if the block has no data: only an id, a reconnection time or a comment. */
  data: string | null
  /** The id of the last block that had one. */
  lastEventId: string
}
/** The reconnection time that the stream requests, in milliseconds. */
export type EventParser = { push(text: string): StreamBlock[]; retry(): number | undefined }

/** Maximum number of characters of a block. A longer one means that this is not a stream of the service. */
const BLOCK_MAX = 1_048_576

/**
 * Parses an event stream (WHATWG HTML 9.2.6) from pieces that may end anywhere. An incomplete last block is discarded.
 * The pieces are decoded text without a byte order mark. `push` throws UNREADABLE_ANSWER if a block exceeds the maximum.
 */
export function createEventParser(lastEventId = ''): EventParser {
  const state = { event: '', data: [] as string[], size: 0, lastEventId, retry: undefined as number | undefined }
  let rest = ''
  let scanned = 0
  let afterReturn = false

  const end = (): StreamBlock => {
    const { event, data } = state
    Object.assign(state, { event: '', data: [], size: 0 })
    const empty = data.length === 0 || (data.length === 1 && data[0] === '')
    return {
      event: event === '' ? 'message' : event,
      data: empty ? null : data.join('\n'),
      lastEventId: state.lastEventId,
    }
  }

  return {
    push(text) {
      if (text === '') return []
      const blocks: StreamBlock[] = []
      rest += afterReturn && text.startsWith('\n') ? text.slice(1) : text
      afterReturn = false
      for (;;) {
        const at = lineEnd(rest, scanned)
        if (at < 0) break
        const line = rest.slice(0, at)
        const paired = rest[at] === '\r' && rest[at + 1] === '\n'
        afterReturn = rest[at] === '\r' && at + 1 === rest.length
        rest = rest.slice(at + (paired ? 2 : 1))
        scanned = 0
        if (line === '') blocks.push(end())
        else takeLine(line, state)
      }
      scanned = rest.length
      if (rest.length + state.size > BLOCK_MAX) {
        throw clientError('UNREADABLE_ANSWER', 'The stream sent a block without an end; check the address.')
      }
      return blocks
    },
    retry: () => state.retry,
  }
}

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (text[at] === '\n' || text[at] === '\r') return at
  return -1
}

type State = { event: string; data: string[]; size: number; lastEventId: string; retry: number | undefined }

function takeLine(line: string, state: State): void {
  const colon = line.indexOf(':')
  const field = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
  if (field === 'data') {
    state.data.push(value)
    state.size += value.length + 1
  } else if (field === 'event') state.event = value
  else if (field === 'id' && !value.includes('\0')) state.lastEventId = value
  else if (field === 'retry' && /^\d{1,9}$/.test(value)) state.retry = Number(value)
}
