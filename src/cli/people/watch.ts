import type { Activity } from '../../client/index.ts'
import { UsageError } from '../command.ts'
import { type Output, styled } from './output.ts'
import { readerSignal } from './reader.ts'
import type { Session } from './session.ts'
import { countOf } from './values.ts'

const COUNT_MOST = 100_000_000

/** Follows the feed in the order of its sequence, from now on or after a number, until it is interrupted or its reader is gone. */
export async function watch({ invocation, client, out, json, baseUrl }: Session): Promise<void> {
  const { flags, stdout } = invocation
  const count = flags.count === undefined ? undefined : countOf('--count', flags.count, COUNT_MOST)
  const query = flags.since === undefined ? {} : { after: sequenceOf(flags.since) }
  const from = query.after === undefined ? 'from now on' : `after number ${query.after}`
  out.note(`Following the public feed of ${baseUrl} ${from}; Ctrl-C ends it.`)
  const reader = readerSignal(stdout)
  const signal = invocation.signal === undefined ? reader.signal : AbortSignal.any([invocation.signal, reader.signal])
  let told = 0
  try {
    for await (const row of client.watchActivity(query, { signal })) {
      if (json) out.json(row)
      else activityLine(out, row)
      await out.taken()
      told += 1
      if (told === count) return
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    reader.stop()
  }
}

function sequenceOf(text: string): string {
  if (!/^\d{1,19}$/.test(text)) throw new UsageError(`--since must be a sequence number, not "${text}".`)
  return text
}

function activityLine(out: Output, row: Activity): void {
  const { sequence, timestamp, action, actorName, actorId, entryId, metadata } = row
  const by = actorName === null ? `actor ${actorId}` : `"${actorName}"`
  const about = entryId === null ? '' : ` ${typeof metadata.slug === 'string' ? metadata.slug : entryId}`
  const title = typeof metadata.title === 'string' ? `  ${metadata.title}` : ''
  out.line(
    styled('dim', `${sequence} ${timestamp} `),
    styled('bold', action),
    styled('cyan', about),
    ` by ${by}`,
    title,
  )
}
