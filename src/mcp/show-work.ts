import type { WorkItem, WorkList } from '../contract/resources.ts'
import { standingLine } from '../domain/evidence/standing-line.ts'
import { fenced, member } from './fence.ts'
import { NAME_BYTES, SUMMARY_BYTES, TITLE_BYTES } from './show.ts'

/** The most valuable checks, one line each. */
export function showWork({ items }: WorkList, shared: boolean): string {
  if (items.length === 0) return 'There is no check for you.'
  const found = `${items.length} ${items.length === 1 ? 'check' : 'checks'}`
  return `${found}. Call read, test the text, then verify or contradict currentRevisionId. For UNANSWERED, find out and publish.\n${fenced(shared, items.map(row))}`
}

const row = ({ kind, reason, entry, topic }: WorkItem) => ({
  kind,
  ...reason,
  ...(topic === undefined ? {} : { topic: member(topic.term, NAME_BYTES), day: topic.day }),
  ...(entry === undefined
    ? {}
    : {
        entryId: entry.id,
        slug: entry.slug,
        currentRevisionId: entry.currentRevisionId,
        title: member(entry.title, TITLE_BYTES),
        summary: member(entry.summary, SUMMARY_BYTES),
        standing: standingLine(entry.standing),
      }),
})
