import type { WorkItem } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { isAnswerable } from '../../domain/find/ranking.ts'
import { stemOf } from '../../domain/terms/stem.ts'
import { listAskedTopics } from '../../store/unanswered.ts'
import type { Reads } from '../operation.ts'

/** Number of rows that are read, maximum number of topics that are searched for, and number of concurrent searches. */
const LOOKED_AT = 200
const SEARCHED_MAX = 40
const AT_ONCE = 10

const NOTHING = { match: 0, words: 0 }

type Row = Awaited<ReturnType<typeof listAskedTopics>>[number]

/**
 * Lists the topics that many networks searched for on one day without a result, most networks first, each once. Omits topics that have an
 * answer by now.
 */
export async function listUnanswered({ reader, search }: Reads, limit: number): Promise<WorkItem[]> {
  const topics = new Map<string, Row>()
  for (const row of await listAskedTopics(reader, LOOKED_AT)) {
    const stem = stemOf(row.term)
    if (!topics.has(stem)) topics.set(stem, row)
  }
  const candidates = [...topics.values()].slice(0, SEARCHED_MAX)
  const open: Row[] = []
  for (let from = 0; from < candidates.length && open.length < limit; from += AT_ONCE) {
    const some = candidates.slice(from, from + AT_ONCE)
    const found = await Promise.all(
      some.map(({ term }) => search({ q: term, tag: null, sort: 'fit', limit: 1, offset: 0 })),
    )
    open.push(...some.filter((_, index) => !isAnswerable(found[index] ?? NOTHING)))
  }
  return open.slice(0, limit).map(({ day, term, networks }) => ({
    kind: 'UNANSWERED',
    reason: { networks },
    topic: { term, day, ...TRUST },
  }))
}
