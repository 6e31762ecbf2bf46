import { spawn } from 'node:child_process'
import { fstatSync } from 'node:fs'
import type { Activity, Change, Client } from '../../client/index.ts'
import type { Sink } from '../../progress.ts'
import { countOf, sequenceOf } from './flags.ts'
import { createSlugs, type Slugs, unnamedActor } from './names.ts'
import { type Output, styled } from './output.ts'
import type { Session } from './session.ts'

const COUNT_MOST = 100_000_000

/**
 * Follows the feed in the order of its sequence, from now on or after a number, until it is interrupted or its reader ends. With an entry,
 * actor or action, follows the changes with these filters.
 */
export async function watch({ invocation, client, out, json, place }: Session): Promise<void> {
  const { flags, stdout } = invocation
  const count = flags.count === undefined ? undefined : countOf('--count', flags.count, COUNT_MOST)
  const after = flags.since === undefined ? undefined : sequenceOf('--since', flags.since)
  const from = after === undefined ? 'from now on' : `after number ${after}`
  const chosen = CHOOSING.flatMap(name => (flags[name] === undefined ? [] : [[name, flags[name]] as const]))
  out.note(`Following ${chosen.length === 0 ? 'the public feed' : 'changes'} of ${place} ${from}; Ctrl-C ends it.`)
  using reader = readerSignal(stdout)
  const signal = invocation.signal === undefined ? reader.signal : AbortSignal.any([invocation.signal, reader.signal])
  const slugs = createSlugs(client)
  let shown = 0
  try {
    const query = { ...Object.fromEntries(chosen), ...(after === undefined ? {} : { after }) }
    for await (const row of rowsOf(client, query, chosen.length > 0, signal)) {
      if (json) out.json(row)
      else {
        await nameEntry(slugs, row, stdout.isTTY === true)
        activityLine(out, row, slugs)
      }
      await out.taken()
      shown += 1
      if (shown === count) return
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The filters of changes. Each flag is the parameter of the query with its name. */
const CHOOSING = ['entry', 'actor', 'action'] as const

const rowsOf = (
  client: Client,
  query: Record<string, string>,
  isChosen: boolean,
  signal: AbortSignal,
): AsyncGenerator<Change, void, undefined> =>
  isChosen ? client.watchChanges(query, { signal }) : client.watchActivity(query, { signal })

const isModerated = (row: Change): row is Exclude<Change, Activity> =>
  row.action === 'WITHDRAW' || row.action === 'RESTORE'

/** The slug of the entry of a row. It is requested only for terminals, and only for writes. */
async function nameEntry(slugs: Slugs, row: Change, onTerminal: boolean): Promise<void> {
  if (isModerated(row) || row.entryId === null) return
  const { entryId, action, metadata } = row
  if (typeof metadata.slug === 'string') slugs.learn(entryId, metadata.slug)
  else if (onTerminal && action !== 'READ') await slugs.find([entryId])
}

function activityLine(out: Output, row: Change, slugs: Slugs): void {
  if (isModerated(row)) {
    out.line(styled('dim', `${row.sequence} `), styled('bold', row.action), styled('cyan', ` ${slugs.of(row.entryId)}`))
    return
  }
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

/**
 * A signal that aborts when the last reader of a pipe has ended. Without it a command that writes rarely would notice only at its next line.
 * Node cannot poll a pipe for that, but GNU tail does: it writes nothing, and ends by SIGPIPE within a second. Without GNU tail, or if the
 * output is not a pipe, the signal never aborts.
 */
function readerSignal({ fd }: Sink): Disposable & { signal: AbortSignal } {
  const gone = new AbortController()
  if (fd === undefined || process.platform === 'win32' || !fstatSync(fd).isFIFO()) {
    return { signal: gone.signal, [Symbol.dispose]: () => {} }
  }
  // With --pid, tail also ends when this process ends in any other way.
  const tail = spawn('tail', [`--pid=${process.pid}`, '-f', '/dev/null'], { stdio: ['ignore', fd, 'ignore'] })
  tail.on('error', () => {})
  tail.on('exit', (_, signal) => {
    if (signal === 'SIGPIPE') gone.abort()
  })
  tail.unref()
  return { signal: gone.signal, [Symbol.dispose]: () => void tail.kill() }
}
