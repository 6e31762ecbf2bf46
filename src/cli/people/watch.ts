import type { Activity } from '../../client/index.ts'
import { UsageError } from '../command.ts'
import { type Output, styled } from './output.ts'
import { mistake, type Session } from './session.ts'
import { countOf } from './values.ts'

const COUNT_MOST = 100_000_000
const PAGE = 50
/** Between two looks, in milliseconds: a fifth of what an origin may read. */
const INTERVAL = 2_500

/** Follows the feed in the order of its sequence, from now on or from behind a number, until it is interrupted. */
export async function watch(session: Session): Promise<void> {
  const { invocation, client, out, json, clock } = session
  const { flags, signal } = invocation
  const count = flags.count === undefined ? undefined : countOf('--count', flags.count, COUNT_MOST)
  let after = flags.since === undefined ? await newest(session) : since(flags.since)
  for (let told = 0; ; ) {
    const rows: Activity[] = []
    for await (const row of client.all.listActivity({ limit: PAGE }, { signal })) {
      if (sequenceOf(row.sequence) <= after) break
      rows.push(row)
    }
    for (const row of rows.reverse()) {
      if (json) out.json(row)
      else activityLine(out, row)
      await out.taken()
      after = sequenceOf(row.sequence)
      told += 1
      if (told === count) return
    }
    if (signal?.aborted) return
    await clock.sleep(INTERVAL, signal)
  }
}

async function newest({ client }: Session): Promise<bigint> {
  const { items } = await client.listActivity({ limit: 1 })
  return sequenceOf(items[0]?.sequence ?? '0')
}

function since(text: string): bigint {
  if (!/^\d{1,19}$/.test(text)) throw new UsageError(`--since must be a sequence number, not "${text}".`)
  return BigInt(text)
}

function sequenceOf(text: string): bigint {
  if (!/^\d{1,19}$/.test(text)) throw mistake(`"${text}" is no sequence number of an activity.`)
  return BigInt(text)
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
