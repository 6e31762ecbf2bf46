/** The rules of a standing, written down a second time over plain lists. Texts are sets of words, each word once. */
export type ModelText = {
  ordinal: number
  author: number
  words: readonly string[]
  changeType: string
  changed: boolean
  id: string
}
export type ModelJudgement = {
  record: number
  id: string
  actor: number
  group: string
  ordinal: number
  verdict: 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE' | 'CONTRADICTED' | 'CONTRADICTS'
  /** Whether moderation withdrew it, evaluated on each call. */
  withdrawn: () => boolean
}
export type ModelEntry = { texts: ModelText[]; judgements: ModelJudgement[] }

const FROM = 0.9
const OWN_TEXTS = 4
const AUTHORS_WINDOW = 32

export const keptOf = (judged: readonly string[], current: readonly string[]): number => {
  const there = new Set(current)
  return Math.floor((judged.filter(word => there.has(word)).length / judged.length) * 1_000) / 1_000
}
const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && keptOf(a, b) === 1

const confirmedBy = (judged: readonly string[], current: readonly string[]): number =>
  same(judged, current) ? 1 : Math.min(0.999, keptOf(current, judged))

const latest = (judgements: readonly ModelJudgement[]): ModelJudgement[] => {
  const byActor = new Map<number, ModelJudgement>()
  for (const one of judgements) byActor.set(one.actor, one)
  return [...byActor.values()].sort((a, b) => b.record - a.record)
}
const isObjection = ({ verdict }: ModelJudgement): boolean => verdict === 'CONTRADICTED' || verdict === 'CONTRADICTS'
const isAgainst = (one: ModelJudgement): boolean => isObjection(one) || one.verdict === 'UNSUPPORTED'

/** Whether an actor changed the entry after the first judgement of the words, unless these are the current ones. */
const isAuthor = ({ texts, judgements }: ModelEntry, { actor, ordinal }: ModelJudgement): boolean => {
  const wordsOf = (at: number): readonly string[] => texts[at]?.words ?? []
  const [judged, current] = [wordsOf(ordinal), texts.at(-1)?.words ?? []]
  if (same(judged, current) || keptOf(judged, current) < FROM) return false
  const first = judgements.find(other => same(wordsOf(other.ordinal), judged))?.ordinal ?? ordinal
  return texts.some(text => text.ordinal > first && text.author === actor && text.changed)
}
const isOwn = (entry: ModelEntry, one: ModelJudgement): boolean => {
  const { texts } = entry
  const { actor, ordinal } = one
  const judged = texts[ordinal]
  if (judged === undefined) return false
  if (judged.author === actor) return true
  if (isAgainst(one)) return false
  if (isAuthor(entry, one)) return true
  const written = texts.filter(text => text.author === actor && text.ordinal < ordinal)
  const later = written.filter(text => text.ordinal > Math.max(0, ordinal - AUTHORS_WINDOW)).slice(-OWN_TEXTS)
  return [...written.filter(text => text.ordinal === 0), ...later].some(
    text => keptOf(judged.words, text.words) >= FROM,
  )
}
const voices = (judgements: readonly ModelJudgement[]): number => new Set(judgements.map(({ group }) => group)).size

function tallyOf(entry: ModelEntry, judgements: readonly ModelJudgement[]): Record<string, number> {
  const others = judgements.filter(one => !isOwn(entry, one))
  const saying = (verdict: string): number => others.filter(one => one.verdict === verdict).length
  return {
    supported: saying('SUPPORTED'),
    unsupported: saying('UNSUPPORTED'),
    inconclusive: saying('INCONCLUSIVE'),
    contradicted: saying('CONTRADICTED') + saying('CONTRADICTS'),
    own: judgements.length - others.length,
    actors: others.length,
    independent: Math.min(others.length, voices(others)),
    independentFor: voices(others.filter(({ verdict }) => verdict === 'SUPPORTED')),
    independentAgainst: voices(others.filter(isAgainst)),
  }
}

function stateOf({
  supported = 0,
  unsupported = 0,
  inconclusive = 0,
  contradicted = 0,
}: Record<string, number>): string {
  const against = unsupported + contradicted
  if (supported > 0 && against > 0) return 'DISPUTED'
  if (supported > 0) return 'SUPPORTED'
  if (against > 0) return 'CONTRADICTED'
  return inconclusive > 0 ? 'INCONCLUSIVE' : 'UNCHECKED'
}

/** The correction of a judged text, sought in the whole history. */
function correctionOf({ texts }: ModelEntry, judged: readonly string[], from: number): string | null {
  let addressed: string | null = null
  for (const text of texts.slice(from + 1).filter(({ changed }) => changed)) {
    if (keptOf(judged, text.words) >= FROM) addressed = null
    else if (text.changeType === 'CORRECT') addressed ??= text.id
  }
  return addressed
}

/** The expected answer of GET /api/entries/{slug}/standing, without ids that an engine makes. */
export function modelStanding(entry: ModelEntry) {
  const current = entry.texts.at(-1)?.words ?? []
  const wordsOf = ({ ordinal }: { ordinal: number }): readonly string[] => entry.texts[ordinal]?.words ?? []
  const given = entry.judgements.filter(one => !one.withdrawn())
  // Of the same words only the latest judgement of an actor is one.
  const isSuperseded = (one: ModelJudgement): boolean =>
    given.some(
      ({ record, actor, ordinal }) =>
        record > one.record && actor === one.actor && same(wordsOf({ ordinal }), wordsOf(one)),
    )
  const shown = given.filter(one => !isSuperseded(one))
  const isCurrent = (one: ModelJudgement): boolean => keptOf(wordsOf(one), current) >= FROM
  const [here, earlier] = [latest(shown.filter(isCurrent)), latest(shown.filter(one => !isCurrent(one)))]
  const tally = tallyOf(entry, here)
  const supports = here.filter(one => one.verdict === 'SUPPORTED' && !isOwn(entry, one))
  const last = shown.filter(one => !isOwn(entry, one)).at(-1)
  const objections = [here, earlier].flatMap(list => {
    const groups = new Set<string>()
    return list.filter(one => {
      if (isOwn(entry, one) || !isObjection(one) || groups.has(one.group)) return false
      groups.add(one.group)
      return true
    })
  })
  return {
    state: stateOf(tally),
    tally,
    earlier: tallyOf(entry, earlier),
    kept: last === undefined ? null : keptOf(wordsOf(last), current),
    confirmed: supports.length === 0 ? null : Math.max(...supports.map(one => confirmedBy(wordsOf(one), current))),
    contradictions: objections.slice(0, 3).map(one => {
      // All that was judged of the same words is one text, from its first judgement on.
      const first = entry.judgements.find(other => same(wordsOf(other), wordsOf(one)))
      const open = isCurrent(one) || (tally.contradicted ?? 0) > 0
      const addressedBy = open ? null : correctionOf(entry, wordsOf(one), first?.ordinal ?? one.ordinal)
      return [one.id, addressedBy === null ? 'STANDING' : 'ADDRESSED', addressedBy]
    }),
  }
}
