import type { Kind } from './collection.ts'
import { type Asked, type CollectionResult, READ } from './measure.ts'
import { mean, pairedInterval } from './metrics.ts'
import { REFERENCE } from './systems.ts'

/** A bound on a result. `note` has the number of measured questions. */
export type Bound = { name: string; measured: string; target: string; held: boolean; note: string }

/** Questions of programmers and of other languages than English. */
const PROGRAMMERS: readonly Kind[] = ['code', 'error', 'language']
/** Minimum share of answered questions: 80 of 87. */
const FOUND_LEAST = 80 / 87
const ZERO_MOST = 0.01
const FAULT_LEAST = 0.9
/** Minimum number of pairs for a verdict about questions with a fault. */
const PAIRS_LEAST = 10

/** Judges one system of the service on all collections. A bound without questions is left out. */
export function judge(system: string, results: CollectionResult[]): Bound[] {
  return [
    ...results.flatMap(result => against(system, result)),
    ...results.flatMap(result => zero(system, result)),
    ...results.flatMap(result => [...twins(system, result, 'typo'), ...twins(system, result, 'forms')]),
    ...results.flatMap(result => programmers(system, result)),
  ]
}

/** The answered questions of a system, of these kinds. */
const askedOf = (name: string, { systems }: CollectionResult, isOf = (_: Kind): boolean => true): Asked[] =>
  systems
    .find(one => one.name === name)
    ?.asked.filter(({ answer, question }) => answer !== undefined && isOf(question.kind)) ?? []

/** A bound on the nDCG of questions, divided by that of others. Each question is compared with the one of the same number. */
function paired(name: string, ours: Asked[], others: (Asked | undefined)[], least: number, unit: string): Bound[] {
  const pairs = ours.flatMap((one, at) => {
    const other = others[at]
    return other === undefined ? [] : [[one.ndcg, other.ndcg] as const]
  })
  if (pairs.length === 0) return []
  const [own, compared] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
  const { low, high } = pairedInterval(own, compared)
  const ratio = mean(compared) === 0 ? 0 : mean(own) / mean(compared)
  const [mine, theirs, from, to, bound] = [mean(own), mean(compared), low, high, least].map(value => value.toFixed(3))
  return [
    {
      name,
      measured: `${ratio.toFixed(3)} × (${mine} to ${theirs})`,
      target: `≥ ${bound} ×`,
      held: ratio >= least,
      note: `${pairs.length} ${unit}; difference ${from} to ${to} (95 %)`,
    },
  ]
}

/** The comparison with the reference, over the questions that both systems accept. */
function against(system: string, result: CollectionResult): Bound[] {
  const ours = askedOf(system, result, kind => kind === 'question')
  const reference = askedOf(REFERENCE, result)
  const theirs = ours.map(({ question }) => reference.find(one => one.question.id === question.id))
  return paired(`nDCG@10 of questions against ${REFERENCE}: ${result.name}`, ours, theirs, 1, 'questions')
}

/** The cost of a fault in the question: its nDCG divided by that of the same question without the fault. */
function twins(system: string, result: CollectionResult, kind: Kind): Bound[] {
  const faulty = askedOf(system, result, one => one === kind)
  const asked = askedOf(system, result)
  const clean = faulty.map(({ question }) => asked.find(one => one.question.id === question.twin))
  if (clean.filter(one => one !== undefined).length < PAIRS_LEAST) return []
  return paired(`nDCG@10 of ${kind} against the same without: ${result.name}`, faulty, clean, FAULT_LEAST, 'pairs')
}

function zero(system: string, result: CollectionResult): Bound[] {
  const asked = askedOf(system, result, kind => kind !== 'foreign')
  if (asked.length === 0) return []
  const share = mean(asked.map(({ answer }) => Number(answer?.ids.length === 0)))
  return [
    {
      name: `questions without an answer: ${result.name}`,
      measured: `${(100 * share).toFixed(1)} %`,
      target: `≤ ${(100 * ZERO_MOST).toFixed(1)} %`,
      held: share <= ZERO_MOST,
      note: `${asked.length} questions`,
    },
  ]
}

/** The number of programmers' questions that are answered. */
function programmers(system: string, result: CollectionResult): Bound[] {
  const asked = askedOf(system, result, kind => PROGRAMMERS.includes(kind))
  if (asked.length === 0) return []
  const least = Math.ceil(FOUND_LEAST * asked.length)
  const found = asked.filter(one => one.found).length
  return [
    {
      name: `programmers' questions with the exact entry among the first ${READ}: ${result.name}`,
      measured: `${found} of ${asked.length}`,
      target: `≥ ${least} of ${asked.length}`,
      held: found >= least,
      note: `kinds ${PROGRAMMERS.join(', ')}`,
    },
  ]
}
