import assert from 'node:assert/strict'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import type { Face, Place, Row } from './face.ts'
import { latestSequence, type Outside, readOutside } from './outside.ts'

/** A participant through one interface, and its results so far. */
type Course = {
  face: Face
  /** The service whose state is checked over plain HTTP. */
  url: string
  /** The name that the actor declares; the entries are about this word, which no others have. */
  word: string
  /** The actor, as the service calls it. */
  me: string
  /** Another caller, over plain HTTP, with its own entry. */
  rival: { id: string; token: string; entryId: string }
  /** The feed up to here is of before. */
  after: string
  entryId: string
  /** The revisions of the entry, oldest first. */
  revisions: string[]
}
/** The maximum time until a change is visible, in milliseconds. */
const PATIENCE = 20_000

type Step = { name: string; run(course: Course): Promise<void> }

const textOf = (word: string, content: string) => ({ title: `On ${word}`, summary: `What a ${word} is.`, content })
const outsideOf = ({ url, entryId }: Course): Promise<Outside> => readOutside(url, entryId)
const revision = ({ entryId, revisions }: Course, index: number): Place => ({
  entryId,
  revisionId: revisions.at(index) ?? '',
})

/** Another caller adds to the entry. */
async function rivalWrites({ url, entryId, rival: { token } }: Course, path: string, body: object): Promise<void> {
  expectStatus(await call(url, 'POST', `/api/entries/${entryId}/${path}`, { body, token }), 201)
}

/** The changes of the entry before it is watched. */
const rowsOf = ({ me, rival, revisions: [first = '', second = '', third = ''] }: Course): Row[] => [
  { actorId: me, action: 'CREATE', revisionId: first },
  { actorId: rival.id, action: 'EXPAND', revisionId: second },
  { actorId: me, action: 'CORRECT', revisionId: third },
  { actorId: me, action: 'VERIFY', revisionId: third },
  { actorId: me, action: 'CONTRADICT', revisionId: second },
  { actorId: me, action: 'CONNECT', revisionId: null },
]

const WATCHED: Step = {
  name: 'watch',
  async run(course) {
    const { face, entryId, after, rival } = course
    const rows = rowsOf(course)
    assert.deepEqual((await outsideOf(course)).rows, rows)
    const seen: Row[] = []
    const body = { revisionId: course.revisions[0], rationale: 'While they watch.' }
    const last: Row = { actorId: rival.id, action: 'CONTRADICT', revisionId: course.revisions[0] ?? '' }
    await face.watch({ entryId, after, signal: AbortSignal.timeout(PATIENCE) }, async row => {
      seen.push(row)
      if (seen.length === rows.length) await rivalWrites(course, 'contradict', body)
      return seen.length > rows.length
    })
    const order = (one: Row[]): unknown => (face.inOrder ? one : one.map(row => JSON.stringify(row)).sort())
    assert.deepEqual(order(seen), order([...rows, last]))
    assert.deepEqual(seen.at(-1), last)
  },
}

/** All steps of taking part, each with its expected result. */
const STEPS: readonly Step[] = [
  {
    name: 'discover',
    async run({ face }) {
      const described = await face.discover()
      for (const word of ['search', 'verif', 'contradict', 'relat', 'revi'])
        assert.match(described, new RegExp(word, 'i'))
    },
  },
  {
    name: 'search',
    run: async ({ face, word }) => assert.deepEqual(await face.search(word), []),
  },
  {
    name: 'create actor',
    run: ({ face, word }) => face.createActor(word),
  },
  {
    name: 'publish',
    async run(course) {
      const { face, word } = course
      const text = textOf(word, `A ${word} eats fish.\n\nÄ "𝄞" \\ \u2028 too.`)
      const { entryId, revisionId } = await face.publish(text)
      Object.assign(course, { entryId, revisions: [revisionId] })
      const { entry, chain, rows } = await outsideOf(course)
      const { title, summary, content } = entry
      assert.deepEqual({ title, summary, content }, text)
      assert.equal(entry.actor.declared.name, word)
      course.me = entry.actor.id
      assert.deepEqual(
        chain.map(one => [one.id, one.actorId, one.changeType]),
        [[revisionId, course.me, 'CREATE']],
      )
      assert.deepEqual(rows, rowsOf(course).slice(0, 1))
      assert.deepEqual(await face.search(word), [entryId])
    },
  },
  {
    name: 'conflict',
    async run(course) {
      const { face, word, revisions } = course
      const { entry } = await outsideOf(course)
      await rivalWrites(course, 'revisions', revisionOf(entry, { content: `A ${word} eats crabs.` }))
      const stale = await face.revise(revision(course, 0), textOf(word, 'Came second.'), 'Too late.')
      assert.deepEqual(stale, { refused: 'STALE_REVISION' })
      const { chain } = await outsideOf(course)
      assert.equal(chain.length, 2)
      revisions.push(chain[1]?.id ?? '')
    },
  },
  {
    name: 'revise',
    async run(course) {
      const { face, word, me, entryId, revisions } = course
      const latest = await face.read(entryId)
      assert.equal(latest.revisionId, revisions[1])
      assert.equal(latest.content, `A ${word} eats crabs.`)
      const text = textOf(word, `${latest.content} And fish.`)
      const revised = await face.revise({ entryId, revisionId: latest.revisionId }, text, 'Fish too.')
      assert.ok('revisionId' in revised, JSON.stringify(revised))
      revisions.push(revised.revisionId)
      const { entry, chain } = await outsideOf(course)
      assert.equal(entry.content, text.content)
      const { id, actorId, changeType, rationale } = chain[2] ?? {}
      assert.deepEqual([id, actorId, changeType, rationale], [revisions[2], me, 'CORRECT', 'Fish too.'])
    },
  },
  {
    name: 'verify',
    async run(course) {
      await course.face.verify(revision(course, 2), 'Saw one eat.')
      const { verifications } = (await outsideOf(course)).evidence
      assert.deepEqual(
        verifications.map(one => [one.revisionId, one.actorId, one.result, one.confidence, one.rationale]),
        [[course.revisions[2], course.me, 'SUPPORTED', 0.75, 'Saw one eat.']],
      )
    },
  },
  {
    name: 'contradict',
    async run(course) {
      await course.face.contradict(revision(course, 1), 'Not only crabs.')
      const { contradictions } = (await outsideOf(course)).evidence
      assert.deepEqual(
        contradictions.map(one => [one.revisionId, one.actorId, one.rationale]),
        [[course.revisions[1], course.me, 'Not only crabs.']],
      )
    },
  },
  {
    name: 'relate',
    async run(course) {
      const { face, entryId, me, rival } = course
      await face.relate(entryId, rival.entryId, 'Both swim.')
      const { relations } = await outsideOf(course)
      assert.deepEqual(
        relations.map(one => [one.sourceEntryId, one.targetEntryId, one.relationType, one.actorId, one.rationale]),
        [[entryId, rival.entryId, 'CONNECT', me, 'Both swim.']],
      )
    },
  },
  WATCHED,
]

/** Takes part through a face, step by step; `word` is one that nothing in the service has yet. Rejects naming the step that failed. */
export async function takePart(face: Face, url: string, word: string): Promise<void> {
  const { actor, token } = await newActor(url)
  const { id: entryId } = await newEntry(url, token)
  const course: Course = {
    face,
    url,
    word,
    me: '',
    rival: { id: actor.id, token, entryId },
    after: await latestSequence(url),
    entryId: '',
    revisions: [],
  }
  for (const { name, run } of STEPS) {
    try {
      await run(course)
    } catch (cause) {
      throw new Error(`${word} failed to ${name}: ${(cause as Error).message}`, { cause })
    }
  }
}
