import { TOPICS } from '../contract/limits.ts'
import { listActivity as activityBelow, listTimeline as timelineBelow } from '../store/activity.ts'
import { readHead } from '../store/head.ts'
import { listTopics } from '../store/topic.ts'
import type { ReadOperation } from './operation.ts'
import { addressed, pageBelow, readOf } from './pages.ts'

/** Lists what was observed about an entry; this very read is the first row. */
export const listTimeline: ReadOperation = async (reads, request) => {
  const entry = await addressed(reads.reader, request)
  await reads.keepObserved(readOf(entry))
  return pageBelow(request, (before, limit) => timelineBelow(reads.reader, entry.number, before, limit))
}

/** Lists the public feed, with everything observed so far. */
export const listActivity: ReadOperation = async (reads, request) => {
  await reads.keepObserved()
  return pageBelow(request, (before, limit) => activityBelow(reads.reader, before, limit))
}

const LIMITATIONS =
  'Counts of observed requests and records, not of people: anonymous records rotate daily with their origin, tokens prove continuity only, and nothing here shows independence, truth or cause.'

/** Counts what is public and EXTERNAL now, and everything observed so far. */
export const readStats: ReadOperation = async ({ reader, keepObserved }) => {
  await keepObserved()
  const head = await readHead(reader)
  return {
    body: {
      externalInteractions: head.interactions,
      observedActors: head.observed_actors,
      recurrentActors: head.recurrent_actors,
      entries: head.entries,
      revisions: head.revisions,
      verifications: head.verifications,
      contradictions: head.contradictions,
      relations: head.relations,
      topics: await listTopics(reader, TOPICS),
      limitations: LIMITATIONS,
    },
  }
}
