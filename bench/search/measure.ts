import type { Bound } from './bounds.ts'
import type { Collection, Kind, Question } from './collection.ts'
import { areaUnderCurve, isFound, mean, ndcg, quantile, recall, reciprocalRank } from './metrics.ts'
import type { Answer, System } from './systems/system.ts'

/** The answer to one question, and its measures. Without `answer`, the system does not accept the question. */
export type Asked = {
  question: Question
  answer: Answer | undefined
  ndcg: number
  found: boolean
  milliseconds: number
}

/** Means over the judged questions of one kind. `taken` is the number of `questions` that the system accepts. */
export type Figures = {
  questions: number
  taken: number
  ndcg: number
  mrr: number
  recall: number
  /** The share of questions with an entry of the highest grade among the first three answers. */
  found: number
  zero: number
  failed: number
  p50: number
  p99: number
}

/** How well `match` and `answerable` distinguish judged questions from those about foreign subjects. */
export type Calibration = {
  foreign: number
  area: number | undefined
  /** The share of judged questions with `answerable: true`, and of foreign questions with `false`. */
  kept: number | undefined
  refused: number | undefined
}

export type SystemResult = {
  name: string
  asked: Asked[]
  kinds: Partial<Record<Kind | 'all', Figures>>
  calibration: Calibration
}
/** `drafts` has the bounds of entries similar to drafts, if they were measured. */
export type CollectionResult = { name: string; entries: number; systems: SystemResult[]; drafts: Bound[] }

/** Number of first answers that an agent reads. */
export const READ = 3
const WARM = 10

/** Sends one system all questions of a collection, one after the other. */
export async function measure(system: System, { questions }: Collection): Promise<SystemResult> {
  for (const { text } of questions.slice(0, WARM)) await system.ask(text)
  const asked: Asked[] = []
  for (const question of questions) {
    const began = performance.now()
    const answer = await system.ask(question.text)
    const milliseconds = performance.now() - began
    const ids = answer?.ids ?? []
    const judged = question.kind !== 'foreign'
    asked.push({
      question,
      answer,
      ndcg: judged ? ndcg(ids, question.relevant) : 0,
      found: judged && isFound(ids, question.relevant, READ),
      milliseconds,
    })
  }
  return { name: system.name, asked, kinds: byKind(asked), calibration: calibrate(asked) }
}

function byKind(asked: Asked[]): SystemResult['kinds'] {
  const kinds: SystemResult['kinds'] = {}
  for (const kind of new Set(asked.map(({ question }) => question.kind))) {
    kinds[kind] = figuresOf(asked.filter(({ question }) => question.kind === kind))
  }
  kinds.all = figuresOf(asked.filter(({ question }) => question.kind !== 'foreign'))
  return kinds
}

function figuresOf(all: Asked[]): Figures {
  const taken = all.filter(({ answer }) => answer !== undefined)
  const times = taken.map(({ milliseconds }) => milliseconds)
  const over = (value: (one: Asked, ids: string[]) => number): number =>
    mean(taken.map(one => value(one, one.answer?.ids ?? [])))
  return {
    questions: all.length,
    taken: taken.length,
    ndcg: over(one => one.ndcg),
    mrr: over(({ question }, ids) => reciprocalRank(ids, question.relevant)),
    recall: over(({ question }, ids) => recall(ids, question.relevant)),
    found: over(({ found }) => Number(found)),
    zero: over((_, ids) => Number(ids.length === 0)),
    failed: taken.filter(({ answer }) => answer?.failed !== undefined).length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  }
}

function calibrate(asked: Asked[]): Calibration {
  const foreign = asked.filter(({ question }) => question.kind === 'foreign')
  const judged = asked.filter(({ question }) => question.kind !== 'foreign')
  const matches = (list: Asked[]): number[] => list.flatMap(({ answer }) => answer?.match ?? [])
  const answerable = (list: Asked[]): boolean[] => list.flatMap(({ answer }) => answer?.answerable ?? [])
  const [high, low] = [matches(judged), matches(foreign)]
  const [kept, refused] = [answerable(judged), answerable(foreign).map(yes => !yes)]
  return {
    foreign: foreign.length,
    area: high.length === 0 || low.length === 0 ? undefined : areaUnderCurve(high, low),
    kept: kept.length === 0 ? undefined : mean(kept.map(Number)),
    refused: refused.length === 0 ? undefined : mean(refused.map(Number)),
  }
}
