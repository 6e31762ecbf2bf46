import assert from 'node:assert/strict'
import type {
  Contradiction,
  Entry,
  EvidenceResult,
  Relation,
  Standing,
  Verification,
} from '../../src/contract/resources.ts'
import type { TestApp } from './app.ts'
import { type Answer, call, expectStatus, newActor, newEntry, revisionOf } from './client.ts'

/** An actor, and the address of its requests. */
export type Voice = { token: string; id: string; from: string }
export type World = ReturnType<typeof judgingWorld>

/** The networks of this process, no two of which are the same. */
let made = 0

/** Functions that write and judge entries from given addresses. The app must trust forwarded addresses of 127.0.0.0/8. */
export function judgingWorld(app: () => Pick<TestApp, 'url'>) {
  const networks = (): string => {
    made += 1
    return `10.${Math.floor(made / 65_536)}.${Math.floor(made / 256) % 256}.${made % 256}`
  }
  const send = <T>({ token, from }: Voice, path: string, body: object): Promise<Answer<T>> =>
    call<T>(app().url, 'POST', path, { body, token, headers: { 'x-forwarded-for': from } })
  const post = async <T>(voice: Voice, path: string, body: object): Promise<T> =>
    expectStatus(await send<T>(voice, path, body), 201)
  const read = async <T>(path: string): Promise<T> => expectStatus(await call<T>(app().url, 'GET', path), 200)
  return {
    send,
    /** Creates an actor, by default in its own network and without a name. */
    async voice(from = networks(), name?: string): Promise<Voice> {
      const { token, actor } = await newActor(app().url, name === undefined ? {} : { declaredName: name })
      return { token, id: actor.id, from }
    },
    async voices(count: number, from?: string): Promise<Voice[]> {
      const all: Voice[] = []
      for (let n = 0; n < count; n++) all.push(await this.voice(from))
      return all
    },
    publish: (voice: Voice, input: Record<string, unknown> = {}): Promise<Entry> =>
      newEntry(app().url, voice.token, { content: proseOf(60, made * 100), ...input }),
    /** Like `publish`, from the address of the voice. */
    publishFrom: (voice: Voice, input: Record<string, unknown> = {}): Promise<Entry> =>
      post<Entry>(voice, '/api/entries', {
        title: 'A title',
        summary: 'A summary',
        content: proseOf(60, made * 100),
        ...input,
      }),
    revise: (voice: Voice, entry: Entry, input: Record<string, unknown> = {}): Promise<Entry> =>
      post<Entry>(
        voice,
        `/api/entries/${entry.slug}/revisions`,
        revisionOf(entry, { content: entry.content, ...input }),
      ),
    verify: (
      voice: Voice,
      entry: Entry,
      result: Verification['result'] = 'SUPPORTED',
      revisionId = entry.currentRevisionId,
    ) =>
      post<Verification>(voice, `/api/entries/${entry.slug}/verify`, {
        ...{ revisionId, result, confidence: 0.9, rationale: 'Tried it.' },
      }),
    /** Contradicts one sentence of an entry. */
    async quote(voice: Voice, entry: Entry, quote: string): Promise<EvidenceResult> {
      const item = { entry: entry.id, revisionId: entry.currentRevisionId, kind: 'CONTRADICT', rationale: 'No.', quote }
      const { body } = await send<{ items: [EvidenceResult] }>(voice, '/api/evidence', { items: [item] })
      return body.items[0]
    },
    contradict: (voice: Voice, entry: Entry, rationale = 'It fails.', revisionId = entry.currentRevisionId) =>
      post<Contradiction>(voice, `/api/entries/${entry.slug}/contradict`, { revisionId, rationale }),
    object: (voice: Voice, source: Entry, target: Entry) =>
      post<Relation>(voice, '/api/relations', {
        ...{ sourceEntryId: source.id, targetEntryId: target.id, relationType: 'CONTRADICTS', rationale: 'Says no.' },
      }),
    now: (entry: Entry): Promise<Entry> => read<Entry>(`/api/entries/${entry.slug}`),
    standing: (entry: Entry): Promise<Standing> => read<Standing>(`/api/entries/${entry.slug}/standing`),
    read,
  }
}

/** A text of this many distinct words, in sentences of ten. */
export const proseOf = (words: number, from = 0): string =>
  Array.from({ length: words }, (_, n) => `word${n + from}${n % 10 === 9 ? '.' : ''}`).join(' ')

/** The tally of a standing, without zero counts. */
export const countsOf = ({ tally }: Pick<Standing, 'tally'>): Record<string, number> =>
  Object.fromEntries(Object.entries(tally).filter(([, count]) => count > 0))

/** Asserts that all interfaces return the same standing of an entry. */
export async function assertOneStanding(world: World, entry: Entry): Promise<Standing> {
  const standing = await world.standing(entry)
  const { state, tally, share, confirmed, changed, changedBy, lastCheckedAt } = standing
  const by = changedBy === undefined ? {} : { changedBy }
  const shown = { state, tally, share, confirmed, changed, ...by, lastCheckedAt }
  assert.deepEqual((await world.now(entry)).standing, shown)
  // The second answer is from the cache.
  assert.deepEqual((await world.now(entry)).standing, shown)
  const { items } = await world.read<{ items: Entry[] }>(`/api/batch?ids=${entry.id}`)
  assert.deepEqual(items[0]?.standing, shown)
  const list = await world.read<{ items: Entry[] }>('/api/entries?limit=50')
  const row = list.items.find(({ id }) => id === entry.id)
  if (row !== undefined) assert.deepEqual(row.standing, shown)
  return standing
}
