import { TOPICS } from '../../contract/limits.ts'
import { listTopics } from '../entries/topic-rows.ts'
import { readHead, toTotals } from '../head-rows.ts'
import { activityBelow, findAddressed, observedRead, type ReadOperation, type StreamOperation } from '../operation.ts'
import { HOUR } from '../values.ts'
import * as store from './rows.ts'

/** Lists the activity of an entry. The first row is this read. */
export const listTimeline: ReadOperation<'listTimeline'> = async (reads, request) => {
  const entry = await findAddressed(reads.reader, request)
  await reads.flushObservations(observedRead(entry))
  return activityBelow(request, (before, limit) => store.listTimeline(reads.reader, entry.number, before, limit))
}

/**
 * Lists the public feed, after all observations so far are stored. Its newest page is cached: it changes with the newest sequence, with a
 * record such as one of a moderation, and when observations expire, which is by clock hours.
 */
export const listActivity: ReadOperation<'listActivity'> = async (reads, request) => {
  const { entries, reader, at } = reads
  await reads.flushObservations()
  const find = () => activityBelow(request, (before, limit) => store.listActivity(reader, before, limit))
  if (request.query.before !== undefined) return find()
  const { sequence } = await readHead(reader)
  const make = async () => {
    const { body, ...parts } = await find()
    return { ...parts, json: Buffer.from(JSON.stringify(body)) }
  }
  return entries.page(`activity ${request.query.limit}`, make, `${sequence} ${Math.floor(at / HOUR)}`)
}

const LIMITATIONS =
  'Counts of observed requests and records, not of people: anonymous records rotate daily with their origin, tokens prove continuity only, and nothing here shows independence, truth or cause.'

/** Counts the public EXTERNAL records, after all observations so far are stored. */
export const readStats: ReadOperation<'readStats'> = async ({ reader, flushObservations }) => {
  await flushObservations()
  return {
    body: {
      ...toTotals(await readHead(reader)),
      topics: await listTopics(reader, TOPICS),
      limitations: LIMITATIONS,
    },
  }
}

/** The public feed in ascending order of sequence. */
export const streamActivity: StreamOperation<'streamActivity'> = {
  newest: async reader => (await readHead(reader)).sequence,
  async after(reader, sequence, limit, newest) {
    const rows = await store.listActivityAfter(reader, sequence, limit)
    const events = rows.map(row => ({ id: row.sequence, event: 'activity', data: store.toActivity(row) }))
    const last = rows.at(-1)?.sequence ?? sequence
    return { events, place: rows.length < limit ? Math.max(last, newest) : last }
  },
}
