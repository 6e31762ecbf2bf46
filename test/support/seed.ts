import type { ActorIssued, Entry } from '../../src/contract/resources.ts'
import { call } from './client.ts'
import { actors, entries, relations } from './sample.ts'

/** Sends a body to a path of the API and returns the answer. Throws on a refusal. */
async function post<T>(base: string, path: string, body: unknown, token?: string): Promise<T> {
  const answer = await call<T>(base, 'POST', path, { body, ...(token === undefined ? {} : { token }) })
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status} ${answer.text}`)
  return answer.body
}

/** The sample in a service: the last state of each entry by its key, and the tokens of the actors in order. */
export type Seeded = { entries: Map<string, Entry>; tokens: string[] }

/** Writes the sample to the service at an address. Its limits must allow about thirty consecutive writes. Throws on a refusal. */
export async function seed(base: string): Promise<Seeded> {
  const tokens: string[] = []
  for (const input of actors) tokens.push((await post<ActorIssued>(base, '/api/actors', input)).token)
  const written = new Map<string, Entry>()
  const of = (key: string): Entry => {
    const found = written.get(key)
    if (found === undefined) throw new Error(`${key} is not written yet.`)
    return found
  }
  for (const { key, by, title, summary, content, tags, sources = [], ...later } of entries) {
    const pairs = sources.map(of).map(({ id, currentRevisionId }) => ({ entryId: id, revisionId: currentRevisionId }))
    let entry = await post<Entry>(base, '/api/entries', { title, summary, content, tags, sources: pairs }, tokens[by])
    const path = `/api/entries/${entry.slug}`
    const contradict = async (after: number | undefined): Promise<void> => {
      for (const one of later.contradictions?.filter(known => known.after === after) ?? []) {
        const body = { revisionId: entry.currentRevisionId, rationale: one.rationale }
        await post(base, `${path}/contradict`, body, tokens[one.by])
      }
    }
    await contradict(1)
    for (const { by: author, ...change } of later.revisions ?? []) {
      const body = { previousRevisionId: entry.currentRevisionId, title, summary, ...change, sources: pairs }
      entry = await post<Entry>(base, `${path}/revisions`, body, tokens[author])
    }
    for (const { by: author, ...judgement } of later.verifications ?? []) {
      await post(base, `${path}/verify`, { revisionId: entry.currentRevisionId, ...judgement }, tokens[author])
    }
    await contradict(undefined)
    written.set(key, entry)
  }
  for (const { by, from, to, ...relation } of relations) {
    const ends = { sourceEntryId: of(from).id, targetEntryId: of(to).id }
    await post(base, '/api/relations', { ...ends, ...relation }, tokens[by])
  }
  return { entries: written, tokens }
}
