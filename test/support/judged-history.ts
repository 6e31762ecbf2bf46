import { type CutText, Texts } from '../../src/memory/evidence/pieces-rules.ts'
import {
  correctionsToSearch,
  type Evidence,
  isAgainst,
  type Judgement,
  latestOf,
  textsToCompare,
  tracingIn,
  type Verdict,
  withTracedClaims,
} from '../../src/memory/evidence/rules.ts'

/** A revision of a history, by its content. Its number is its place among all revisions and judgements. */
type Revised = { content: string; title?: string; changeType?: 'EXPAND' | 'CORRECT'; actor?: number }
/** A judgement of the newest revision, or of another one by its place among the revisions, from 0. */
type Judged = { verdict: Verdict; of?: number } & Partial<Pick<Judgement, 'actor' | 'voice' | 'own' | 'quote'>>

export type HistoryEvent = Revised | Judged

/** The evidence about the last text of a history of revisions and judgements. Judges are other actors with voices of their own. */
export function evidenceAfter(...events: readonly HistoryEvent[]): Evidence {
  const texts = new Texts()
  const revisions: { number: number; text: CutText; changeType: string; actor: number }[] = []
  const judgements: Judgement[] = []
  for (const [at, event] of events.entries()) {
    const number = at + 1
    if ('content' in event) {
      const { content, title = 'A title', changeType = 'EXPAND', actor = 1 } = event
      revisions.push({ number, text: texts.cut({ title, summary: `${title} in short.`, content }), changeType, actor })
    } else {
      const { verdict, of = revisions.length - 1, actor = 100 + at, voice = actor, own = false, quote = null } = event
      const revision = revisions[of]?.number ?? 0
      judgements.push({ record: number, revision, verdict, actor, voice, own, quote, observedOn: [], at: number })
    }
  }
  const byNumber = new Map(revisions.map(one => [one.number, one.text]))
  const current = revisions.at(-1)
  if (current === undefined) throw new Error('A history has at least one revision.')
  const toCompare = textsToCompare(latestOf(judgements), current.number)
  const counted = withTracedClaims(latestOf(judgements), toCompare)
  const compared = new Map(toCompare.map(number => [number, byNumber.get(number) ?? current.text]))
  const first = Math.min(...counted.filter(isAgainst).map(({ revision }) => revision))
  const corrections = revisions
    .filter(({ number, changeType }) => changeType === 'CORRECT' && number > first)
    .map(({ number, actor }) => ({ number, actor }))
  const isIn = tracingIn(compared)
  const evidence = { judgements: counted, current: current.text, compared, isIn, corrections }
  const searched = new Set(correctionsToSearch(evidence))
  return {
    ...evidence,
    corrections: corrections.map(one => (searched.has(one.number) ? { ...one, text: byNumber.get(one.number) } : one)),
  }
}
