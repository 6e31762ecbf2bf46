import assert from 'node:assert/strict'
import type { Standing } from '../../src/contract/resources.ts'
import type { Random } from './choices.ts'
import { asAdmin, type Pair } from './pair.ts'

const DAY = 86_400_000
const SENTENCES = 12
const MORE_SENTENCES = 4
const RESULTS = ['SUPPORTED', 'UNSUPPORTED', 'INCONCLUSIVE', 'SUPPORTED'] as const
const ADDRESSES = ['203.0.113.1', '203.0.113.2', '203.0.113.3']

type Actor = { id: string; token: string; quarantined: boolean }
type Played = {
  /** The ids of its revisions, oldest first. */
  revisions: string[]
  id: string
  slug: string
  author: number
  hidden: boolean
  title: string
  contents: string[]
}

/** Random acts on a few entries, on both engines. */
export async function createPlay(pair: Pair, random: Random, sequence: number) {
  const actors: Actor[] = []
  const entries: Played[] = []
  let made = 0
  /** The states of entries while nothing was withdrawn. */
  const seen: { sequence: string; entry: string; read: object }[] = []
  const newest = async (): Promise<string> => {
    const { body } = await pair.ask('GET', '/api/activity?limit=1')
    return (body.items as { sequence: string }[])[0]?.sequence ?? '0'
  }
  const fresh = (count: number): string[] => Array.from({ length: count }, () => `Sentence ${made++} is new.`)
  const send = (path: string, body: object, from: string, actor?: Actor) =>
    pair.ask('POST', path, { body, headers: { 'x-forwarded-for': from }, ...(actor ? { token: actor.token } : {}) })
  const isWithdrawn = ({ hidden, author }: Played): boolean => hidden || actors[author]?.quarantined === true

  for (let n = 0; n < 5; n++) {
    const { body } = await pair.ask('POST', '/api/actors', { body: {} })
    actors.push({ id: (body.actor as { id: string }).id, token: String(body.token), quarantined: false })
  }
  const publish = async (): Promise<void> => {
    const author = entries.length % actors.length
    const content = fresh(SENTENCES).join(' ')
    const title = `Sequence${sequence}entry${entries.length}`
    const { body, status } = await send(
      '/api/entries',
      { title, summary: 'S', content },
      ADDRESSES[0] ?? '',
      actors[author],
    )
    if (status !== 201) return
    const named = { id: String(body.id), slug: String(body.slug), title, author, hidden: false }
    entries.push({ ...named, contents: [content], revisions: [String(body.currentRevisionId)] })
  }
  for (let n = 0; n < 3; n++) await publish()

  /** A content that differs from one before by nothing, by what cannot be seen, a little, a lot, in its order, or wholly. */
  const contentAfter = (entry: Played): string => {
    const last = entry.contents.at(-1) ?? ''
    const exchanged = (every: number): string =>
      last
        .split(/(?<=[.]) /)
        .map((sentence, n) => (n % every === 1 ? (fresh(1)[0] ?? sentence) : sentence))
        .join(' ')
    return random.pick([
      () => last,
      () => `${last} `,
      () => last.replace('is new', random.pick(['i\u00ads new', 'i\u2063s new', 'is  new', 'is ne\u0301w'])),
      () =>
        last
          .split(/(?<=[.]) /)
          .toReversed()
          .join(' '),
      () => exchanged(12),
      () => exchanged(3),
      () => fresh(SENTENCES).join(' '),
      () => random.pick(entry.contents),
      () => `${last} ${fresh(MORE_SENTENCES).join(' ')}`,
    ])()
  }
  const revise = async (): Promise<void> => {
    const [entry, author, from] = [random.pick(entries), random.below(actors.length), random.pick(ADDRESSES)]
    const content = contentAfter(entry)
    const changeType = random.pick(['EXPAND', 'CORRECT', 'CORRECT', 'SYNTHESIZE'])
    const body = {
      previousRevisionId: entry.revisions.at(-1),
      title: entry.title,
      summary: 'S',
      content,
      changeType,
      rationale: 'So',
    }
    const answer = await send(`/api/entries/${entry.id}/revisions`, body, from, actors[author])
    if (answer.status !== 201) return
    entry.contents.push(content)
    entry.revisions.push(String(answer.body.currentRevisionId))
  }
  const judge = async (): Promise<void> => {
    const [entry, actor, from] = [random.pick(entries), random.below(actors.length), random.pick(ADDRESSES)]
    const at = random.below(3) === 0 ? random.below(entry.revisions.length) : entry.revisions.length - 1
    const said = { entry: entry.id, revisionId: entry.revisions[at], rationale: 'So' }
    const quote = random.pick((entry.contents[at] ?? '').trim().split(/(?<=[.]) /))
    const items = [
      random.pick<object>([
        { ...said, kind: 'VERIFY', result: random.pick(RESULTS), confidence: 1 },
        { ...said, kind: 'CONTRADICT' },
        { ...said, kind: 'CONTRADICT', quote },
      ]),
    ]
    await send('/api/evidence', { items }, from, actors[actor])
  }
  const object = async (): Promise<void> => {
    const [source, target] = [random.pick(entries), random.pick(entries)]
    const [actor, from] = [random.below(actors.length), random.pick(ADDRESSES)]
    const ends = { sourceEntryId: source.id, targetEntryId: target.id }
    const body = { ...ends, relationType: 'CONTRADICTS', rationale: 'No' }
    await send('/api/relations', body, from, actors[actor])
  }
  const moderate = async (): Promise<void> => {
    const restoring = random.below(3) > 0
    const action = restoring ? 'RESTORE' : 'QUARANTINE'
    const ofActor = random.below(2) === 0
    const target = ofActor ? random.pick(actors) : random.pick(entries)
    const body = { targetType: ofActor ? 'ACTOR' : 'ENTRY', targetId: target.id, action, reason: 'So' }
    await pair.ask('POST', '/api/admin/moderate', asAdmin(body))
    if ('token' in target) target.quarantined = !restoring
    else target.hidden = !restoring
  }
  const compare = async (entry: Played): Promise<void> => {
    const { status, body } = await pair.ask('GET', `/api/entries/${entry.id}/standing`)
    assert.equal(status, isWithdrawn(entry) ? 410 : 200)
    const read = await pair.ask('GET', `/api/entries/${entry.id}`)
    if (status !== 200) return
    if (random.below(4) === 0) await lookBack(entry, read.body)
    const { state, tally, share, confirmed, changed, changedBy, lastCheckedAt } = body as unknown as Standing
    const by = changedBy === undefined ? {} : { changedBy }
    assert.deepEqual(read.body.standing, { state, tally, share, confirmed, changed, ...by, lastCheckedAt })
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
        await pair.tick(DAY)
      }
      if (entries.length < 6 && random.below(20) === 0) await publish()
      for (const entry of entries) await compare(entry)
    },
  }
}
