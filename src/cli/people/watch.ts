import type { Activity } from '../../client/index.ts'
import { UsageError } from '../command.ts'
import { createSlugs, type Slugs, unnamedActor } from './names.ts'
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
  const slugs = createSlugs(client)
  let told = 0
  try {
    for await (const row of client.watchActivity(query, { signal })) {
      if (json) out.json(row)
      else {
        await nameEntry(slugs, row, stdout.isTTY === true)
        activityLine(out, row, slugs)
      }
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

/** The entry of a row by its slug. Only a person on a terminal is worth a request, and only for what somebody wrote. */
async function nameEntry(slugs: Slugs, { entryId, action, metadata }: Activity, onTerminal: boolean): Promise<void> {
  if (entryId === null) return
  if (typeof metadata.slug === 'string') slugs.learn(entryId, metadata.slug)
  else if (onTerminal && action !== 'READ') await slugs.find([entryId])
}

function activityLine(out: Output, row: Activity, slugs: Slugs): void {
  const { sequence, timestamp, action, actorName: name, actorId, entryId, metadata } = row
  const by = name === null ? unnamedActor(actorId) : `"${name}"`
  const about = entryId === null ? '' : ` ${slugs.of(entryId)}`
  const title = typeof metadata.title === 'string' ? `  ${metadata.title}` : ''
  out.line(
    styled('dim', `${sequence} ${timestamp} `),
    styled('bold', action),
    styled('cyan', about),
    ` by ${by}`,
    title,
  )
}
