import { quantile } from '../numbers.ts'
import type { Collection, Kind, Question } from './collection.ts'
import { isFound, mean, ndcg } from './metrics.ts'
import type { Answer, System } from './systems.ts'

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
  /** The share of questions with an entry of the highest grade among the first three answers. */
  found: number
  zero: number
  /** The share of questions with `answerable: true`; undefined if the system does not say it. */
  answerable: number | undefined
  failed: number
  p50: number
  p99: number
}

type SystemResult = { name: string; asked: Asked[]; kinds: Partial<Record<Kind | 'all', Figures>> }
export type CollectionResult = { name: string; entries: number; systems: SystemResult[] }

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
    const found = isFound(ids, question.relevant, READ)
    asked.push({ question, answer, ndcg: ndcg(ids, question.relevant), found, milliseconds })
  }
  const kinds = Object.groupBy(asked, ({ question }) => question.kind) as Partial<Record<Kind, Asked[]>>
  const figures = Object.entries(kinds).map(([kind, some]) => [kind, figuresOf(some)])
  const all = figuresOf(asked.filter(({ question }) => question.kind !== 'foreign'))
  return { name: system.name, asked, kinds: { ...Object.fromEntries(figures), all } }
}

function figuresOf(all: Asked[]): Figures {
  const taken = all.filter(({ answer }) => answer !== undefined)
  const times = taken.map(({ milliseconds }) => milliseconds)
  const answerable = taken.flatMap(({ answer }) => answer?.answerable ?? [])
  return {
    questions: all.length,
    taken: taken.length,
    ndcg: mean(taken.map(one => one.ndcg)),
    found: mean(taken.map(({ found }) => Number(found))),
    zero: mean(taken.map(({ answer }) => Number(answer?.ids.length === 0))),
    answerable: answerable.length === 0 ? undefined : mean(answerable.map(Number)),
    failed: taken.filter(({ answer }) => answer?.failed !== undefined).length,
    p50: quantile(times, 0.5) ?? Number.NaN,
    p99: quantile(times, 0.99) ?? Number.NaN,
  }
}
