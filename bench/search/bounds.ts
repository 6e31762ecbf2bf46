import type { Kind } from './collection.ts'
import { type Asked, type CollectionResult, READ, type SystemResult } from './measure.ts'
import { mean, pairedInterval } from './metrics.ts'

/** A bound on a result. `held` is null if it was not measured. `note` has the number of measured questions. */
export type Bound = { name: string; measured: string; target: string; held: boolean | null; note: string }

/** The reference for every system of the service. */
const REFERENCE = 'fts5 porter OR'
const QUESTIONS: readonly Kind[] = ['question']
/** Questions of programmers and of other languages than English. */
const PROGRAMMERS: readonly Kind[] = ['code', 'error', 'language']
/** Minimum share of answered questions: 80 of 87. */
const FOUND_LEAST = 80 / 87
const ZERO_MOST = 0.01
const FAULT_LEAST = 0.9
/** Minimum number of pairs for a verdict. */
const PAIRS_LEAST = 10

const three = (value: number): string => value.toFixed(3)

/** Judges one system of the service on the project's own set, which is the first collection, and on the others. */
export function judge(system: string, [own, ...others]: CollectionResult[]): Bound[] {
  if (own === undefined) return []
  const overall = [own, ...others]
  return [
    against(system, [own], `nDCG@10 of questions against ${REFERENCE}: ${own.name}`),
    ...others.map(other => against(system, [other], `nDCG@10 of questions against ${REFERENCE}: ${other.name}`)),
    ...overall.map(result => zero(system, result)),
    ...overall.flatMap(result => [twins(system, result, 'typo'), twins(system, result, 'forms')].flat()),
    ...overall.flatMap(result => programmers(system, result)),
    ...overall.flatMap(result => alike(system, result)),
  ]
}

const askedOf = (name: string, { systems }: CollectionResult): Asked[] =>
  systems.find((one: SystemResult) => one.name === name)?.asked.filter(({ answer }) => answer !== undefined) ?? []

/** The paired comparison with the reference, over the questions that both systems accept. */
function against(system: string, results: CollectionResult[], name: string): Bound {
  const pairs = results.flatMap(result => {
    const reference = new Map(askedOf(REFERENCE, result).map(one => [one.question.id, one.ndcg]))
    return askedOf(system, result)
      .filter(({ question }) => QUESTIONS.includes(question.kind) && reference.has(question.id))
      .map(one => [one.ndcg, reference.get(one.question.id) as number] as const)
  })
  if (pairs.length === 0) return unmeasured(name, '≥ 1.000 ×')
  const [ours, theirs] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
  const { low, high } = pairedInterval(ours, theirs)
  const ratio = mean(ours) / mean(theirs)
  return {
    name,
    measured: `${three(ratio)} × (${three(mean(ours))} to ${three(mean(theirs))})`,
    target: '≥ 1.000 ×',
    held: ratio >= 1,
    note: `${pairs.length} questions; difference ${three(low)} to ${three(high)} (95 %)`,
  }
}

function zero(system: string, result: CollectionResult): Bound {
  const name = `questions without an answer: ${result.name}`
  const asked = askedOf(system, result).filter(({ question }) => question.kind !== 'foreign')
  if (asked.length === 0) return unmeasured(name, '≤ 1.0 %')
  const share = mean(asked.map(({ answer }) => Number(answer?.ids.length === 0)))
  return {
    name,
    measured: `${(100 * share).toFixed(1)} %`,
    target: '≤ 1.0 %',
    held: share <= ZERO_MOST,
    note: `${asked.length} questions`,
  }
}

/**
 * The cost of a fault in the question: its nDCG compared with that of the same question without the fault. Empty if there are few such
 * questions.
 */
function twins(system: string, result: CollectionResult, kind: Kind): Bound[] {
  const name = `nDCG@10 of ${kind} against the same without: ${result.name}`
  const asked = askedOf(system, result)
  const clean = new Map(asked.map(one => [one.question.id, one.ndcg]))
  const pairs = asked
    .filter(({ question }) => question.kind === kind && clean.has(question.twin ?? ''))
    .map(one => [one.ndcg, clean.get(one.question.twin ?? '') as number] as const)
  if (pairs.length < PAIRS_LEAST) return []
  const [faulty, without] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
  const { low, high } = pairedInterval(faulty, without)
  const ratio = mean(without) === 0 ? 0 : mean(faulty) / mean(without)
  return [
    {
      name,
      measured: `${three(ratio)} × (${three(mean(faulty))} to ${three(mean(without))})`,
      target: `≥ ${three(FAULT_LEAST)} ×`,
      held: ratio >= FAULT_LEAST,
      note: `${pairs.length} pairs; difference ${three(low)} to ${three(high)} (95 %)`,
    },
  ]
}

/** The number of programmers' questions that are answered. Empty if there are none. */
function programmers(system: string, result: CollectionResult): Bound[] {
  const asked = askedOf(system, result).filter(({ question }) => PROGRAMMERS.includes(question.kind))
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

/** Whether the path returns the same entries in the same order on the other engine. Empty if only one engine was measured. */
function alike(system: string, result: CollectionResult): Bound[] {
  const other = askedOf(`postgres ${system}`, result)
  const asked = askedOf(system, result)
  if (other.length === 0) return []
  const idsOf = ({ answer }: Asked): string => answer?.ids.join(' ') ?? ''
  const same = asked.filter((one, at) => idsOf(one) === idsOf(other[at] as Asked)).length
  return [
    {
      name: `questions answered alike on both engines: ${result.name}`,
      measured: `${same} of ${asked.length}`,
      target: `${asked.length} of ${asked.length}`,
      held: same === asked.length,
      note: 'all kinds',
    },
  ]
}

const unmeasured = (name: string, target: string): Bound => ({
  name,
  measured: 'not measured',
  target,
  held: null,
  note: '',
})
