import type { CollectionResult, SystemResult } from './measure.ts'
import { aligned } from './tables.ts'

const SHOWN = 90

/** The questions whose best entry is not among the first answers, and what the service answered first. */
export function missTable({ systems }: CollectionResult): string {
  const service = systems[0]
  const missed = (service?.asked ?? []).filter(one => one.question.kind !== 'foreign' && one.answer && !one.found)
  const rows = missed.map(({ question, answer }) => [
    question.kind,
    question.text.replace(/\s+/g, ' ').slice(0, SHOWN),
    [...question.relevant.keys()][0] ?? '',
    answer?.ids[0] ?? 'nothing',
  ])
  return aligned([['missed', `question to ${service?.name}`, 'wanted', 'answered first'], ...rows])
}

/** How many questions both engines answer alike, path by path. */
export function sameAnswers({ name, systems }: CollectionResult): string {
  const idsOf = ({ asked }: SystemResult): string[] => asked.map(({ answer }) => answer?.ids.join(' ') ?? '')
  const lines = systems.flatMap(embedded => {
    const other = systems.find(one => one.name === `postgres ${embedded.name}`)
    if (other === undefined) return []
    const [a, b] = [idsOf(embedded), idsOf(other)]
    const same = a.filter((ids, at) => ids === b[at]).length
    return [`${name}: ${embedded.name} answers ${same} of ${a.length} questions alike on both engines`]
  })
  return lines.join('\n')
}
