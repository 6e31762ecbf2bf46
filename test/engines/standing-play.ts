import assert from 'node:assert/strict'
import type { Standing } from '../../src/contract/resources.ts'
import type { Random } from './choices.ts'
import { asAdmin, type Pair } from './pair.ts'
import { type ModelEntry, modelStanding } from './standing-model.ts'

const DAY = 86_400_000
/** Every third word may be exchanged: with these lengths each of the others still has a neighbour. */
const WORDS = 61
const MORE_WORDS = 21
const RESULTS = ['SUPPORTED', 'UNSUPPORTED', 'INCONCLUSIVE', 'SUPPORTED'] as const
const ADDRESSES = ['203.0.113.1', '203.0.113.2', '203.0.113.3']

type Actor = { id: string; token: string; quarantined: boolean }
type Played = ModelEntry & {
  id: string
  slug: string
  author: number
  hidden: boolean
  title: string
  contents: string[]
}

/** Random acts on a few entries, on both engines and on the model. */
export async function createPlay(pair: Pair, random: Random, sequence: number) {
  const actors: Actor[] = []
  const entries: Played[] = []
  let [day, record, words] = [0, 0, 0]
  /** The states of entries while nothing was withdrawn. */
  const seen: { sequence: string; entry: string; read: object }[] = []
  const newest = async (): Promise<string> => {
    const { body } = await pair.ask('GET', '/api/activity?limit=1')
    return (body.items as { sequence: string }[])[0]?.sequence ?? '0'
  }
  const fresh = (count: number): string[] => Array.from({ length: count }, () => `w${words++}`)
  const send = (path: string, body: object, from: string, actor?: Actor) =>
    pair.ask('POST', path, { body, headers: { 'x-forwarded-for': from }, ...(actor ? { token: actor.token } : {}) })
  const isWithdrawn = ({ hidden, author }: Played): boolean => hidden || actors[author]?.quarantined === true
  const wordsOf = (content: string): string[] => content.toLowerCase().match(/\w+/g) ?? []

  for (let n = 0; n < 5; n++) {
    const { body } = await pair.ask('POST', '/api/actors', { body: {} })
    actors.push({ id: (body.actor as { id: string }).id, token: String(body.token), quarantined: false })
  }
  const publish = async (): Promise<void> => {
    const author = entries.length % actors.length
    const content = fresh(WORDS).join(' ')
    const title = `Sequence${sequence}entry${entries.length}`
    const { body, status } = await send(
      '/api/entries',
      { title, summary: 'S', content },
      ADDRESSES[0] ?? '',
      actors[author],
    )
    if (status !== 201) return
    record += 1
    const first = {
      ordinal: 0,
      author,
      words: [title.toLowerCase(), 's', ...wordsOf(content)],
      changeType: 'CREATE',
      changed: true,
    }
    const made = { id: String(body.id), slug: String(body.slug), author, hidden: false, title, contents: [content] }
    entries.push({ ...made, texts: [{ ...first, id: String(body.currentRevisionId) }], judgements: [] })
  }
  for (let n = 0; n < 3; n++) await publish()

  /** A content that differs from one before by nothing, by layout, a little, a lot, or wholly. */
  const contentAfter = (entry: Played): string => {
    const last = entry.contents.at(-1) ?? ''
    const exchanged = (every: number): string =>
      last
        .split(' ')
        .map((word, n) => (n % every === 1 ? (fresh(1)[0] ?? word) : word))
        .join(' ')
    return random.pick([
      () => last,
      () => `${last}.`,
      () => last.toUpperCase(),
      () => exchanged(30),
      () => exchanged(3),
      () => fresh(WORDS).join(' '),
      () => random.pick(entry.contents),
      () => `${last} ${fresh(MORE_WORDS).join(' ')}`,
    ])()
  }
  const revise = async (): Promise<void> => {
    const [entry, author, from] = [random.pick(entries), random.below(actors.length), random.pick(ADDRESSES)]
    const content = contentAfter(entry)
    const changeType = random.pick(['EXPAND', 'CORRECT', 'CORRECT', 'SYNTHESIZE'])
    const previous = entry.texts.at(-1)
    const body = {
      previousRevisionId: previous?.id,
      title: entry.title,
      summary: 'S',
      content,
      changeType,
      rationale: 'So',
    }
    const answer = await send(`/api/entries/${entry.id}/revisions`, body, from, actors[author])
    if (answer.status !== 201) return
    record += 1
    const changed = content !== entry.contents.at(-1)
    entry.contents.push(content)
    const text = { ordinal: entry.texts.length, author, words: [entry.title.toLowerCase(), 's', ...wordsOf(content)] }
    entry.texts.push({ ...text, changeType, changed, id: String(answer.body.currentRevisionId) })
  }
  const groupOf = (from: string): string => `${day} ${from}`
  const judge = async (): Promise<void> => {
    const [entry, actor, from] = [random.pick(entries), random.below(actors.length), random.pick(ADDRESSES)]
    const ordinal = random.below(3) === 0 ? random.below(entry.texts.length) : entry.texts.length - 1
    const revisionId = entry.texts[ordinal]?.id
    const contradicts = random.below(2) === 0
    const result = random.pick(RESULTS)
    const body = contradicts ? { revisionId, rationale: 'No' } : { revisionId, result, confidence: 1, rationale: 'So' }
    const path = `/api/entries/${entry.id}/${contradicts ? 'contradict' : 'verify'}`
    const answer = await send(path, body, from, actors[actor])
    if (answer.status !== 201) return
    record += 1
    const verdict = contradicts ? 'CONTRADICTED' : result
    const withdrawn = (): boolean => actors[actor]?.quarantined === true
    entry.judgements.push({
      record,
      id: String(answer.body.id),
      actor,
      group: groupOf(from),
      ordinal,
      verdict,
      withdrawn,
    })
  }
  const object = async (): Promise<void> => {
    const [source, target] = [random.pick(entries), random.pick(entries)]
    const [actor, from] = [random.below(actors.length), random.pick(ADDRESSES)]
    const ends = { sourceEntryId: source.id, targetEntryId: target.id }
    const answer = await send(
      '/api/relations',
      { ...ends, relationType: 'CONTRADICTS', rationale: 'No' },
      from,
      actors[actor],
    )
    if (answer.status !== 201) return
    record += 1
    const withdrawn = (): boolean => actors[actor]?.quarantined === true || isWithdrawn(source) || isWithdrawn(target)
    const said = { verdict: 'CONTRADICTS', ordinal: target.texts.length - 1, group: groupOf(from) } as const
    target.judgements.push({ ...said, record, id: String(answer.body.id), actor, withdrawn })
  }
  const moderate = async (): Promise<void> => {
    const restoring = random.below(3) > 0
    const action = restoring ? 'RESTORE' : 'QUARANTINE'
    const ofActor = random.below(2) === 0
    const target = ofActor ? random.pick(actors) : random.pick(entries)
    const body = { targetType: ofActor ? 'ACTOR' : 'ENTRY', targetId: target.id, action, reason: 'So' }
    await pair.ask('POST', '/api/admin/moderate', asAdmin(body))
    record += 1
    if ('token' in target) target.quarantined = !restoring
    else target.hidden = !restoring
  }
  const compare = async (entry: Played): Promise<void> => {
    const { status, body } = await pair.ask('GET', `/api/entries/${entry.id}/standing`)
    assert.equal(status, isWithdrawn(entry) ? 410 : 200)
    if (status === 200) assert.deepEqual(comparable(body as unknown as Standing), modelStanding(entry))
    const read = await pair.ask('GET', `/api/entries/${entry.id}`)
    if (status !== 200) return
    if (random.below(4) === 0) await lookBack(entry, read.body)
    const { state, tally, confirmed, lastCheckedAt } = body as unknown as Standing
    assert.deepEqual(read.body.standing, { state, tally, confirmed, lastCheckedAt })
  }
  const lookBack = async (entry: Played, read: object): Promise<void> => {
    await pair.ask('GET', `/api/entries/${entry.id}/blame`)
    const sequence = await newest()
    await pair.ask('GET', `/api/asof/${random.below(Number(sequence) + 1)}/entries/${entry.id}`)
    if (!actors.some(({ quarantined }) => quarantined) && !entries.some(({ hidden }) => hidden))
      seen.push({ sequence, entry: entry.id, read })
  }
  return {
    entries,
    /** Lifts all that moderation has done. */
    async restoreAll(): Promise<void> {
      for (const target of [...actors, ...entries]) {
        const targetType = 'token' in target ? 'ACTOR' : 'ENTRY'
        const body = { targetType, targetId: target.id, action: 'RESTORE', reason: 'So' }
        await pair.ask('POST', '/api/admin/moderate', asAdmin(body))
        if ('token' in target) target.quarantined = false
        else target.hidden = false
      }
    },
    /** Asserts, after all moderation was undone, that entries as of each sequence are as they were then. */
    async assertAsOf(): Promise<void> {
      for (const { sequence, entry, read } of seen) {
        const { body } = await pair.ask('GET', `/api/asof/${sequence}/entries/${entry}`)
        const { asOf, complete, ...then } = body
        assert.deepEqual([asOf, complete], [sequence, true])
        assert.deepEqual(then, read, `as of ${sequence}`)
      }
    },
    async step(): Promise<void> {
      const acts = [revise, revise, revise, judge, judge, judge, judge, object, moderate]
      await random.pick(acts)()
      if (random.below(15) === 0) {
        day += 1
        await pair.tick(DAY)
      }
      if (entries.length < 6 && random.below(20) === 0) await publish()
      for (const entry of entries) await compare(entry)
    },
  }
}

/** The members of a standing that the model predicts. */
const comparable = ({ state, tally, earlier, kept, confirmed, contradictions }: Standing) => ({
  ...{ state, tally, earlier, kept, confirmed },
  contradictions: contradictions.map(one => [one.id, one.status, one.addressedBy]),
})
