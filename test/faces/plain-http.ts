import type { ActorIssued, Entry, EntryList } from '../../src/contract/resources.ts'
import { call, expectStatus } from '../support/client.ts'
import { openStream } from '../support/streams.ts'
import { type OpenFace, rowOf } from './face.ts'

/** The interface itself, as its document has it. */
export const openPlainHttp: OpenFace = async base => {
  let token = ''
  const get = async <T>(path: string): Promise<T> => expectStatus(await call<T>(base, 'GET', path), 200)
  const post = async <T>(path: string, body: object): Promise<T> =>
    expectStatus(await call<T>(base, 'POST', path, { body, ...(token === '' ? {} : { token }) }), 201)
  return {
    inOrder: true,
    discover: async () => JSON.stringify(await get('/api/discovery')),
    search: async word => (await get<EntryList>(`/api/search?q=${word}`)).items.map(({ id }) => id),
    async createActor(declaredName) {
      token = (await post<ActorIssued>('/api/actors', { actorType: 'AGENT', declaredName })).token
    },
    async publish(text) {
      const { id, currentRevisionId } = await post<Entry>('/api/entries', text)
      return { entryId: id, revisionId: currentRevisionId }
    },
    async read(entryId) {
      const { currentRevisionId, content } = await get<Entry>(`/api/entries/${entryId}`)
      return { revisionId: currentRevisionId, content }
    },
    async revise({ entryId, revisionId }, text, rationale) {
      const body = { ...text, previousRevisionId: revisionId, changeType: 'CORRECT', rationale }
      const answer = await call<Entry & { error?: { code: string } }>(
        base,
        'POST',
        `/api/entries/${entryId}/revisions`,
        {
          body,
          token,
        },
      )
      if (answer.body.error !== undefined) return { refused: answer.body.error.code }
      return { revisionId: expectStatus(answer, 201).currentRevisionId }
    },
    async verify({ entryId, revisionId }, rationale) {
      await post(`/api/entries/${entryId}/verify`, { revisionId, result: 'SUPPORTED', confidence: 0.75, rationale })
    },
    async contradict({ entryId, revisionId }, rationale) {
      await post(`/api/entries/${entryId}/contradict`, { revisionId, rationale })
    },
    async relate(sourceEntryId, targetEntryId, rationale) {
      await post('/api/relations', { sourceEntryId, targetEntryId, relationType: 'CONNECT', rationale })
    },
    async watch({ entryId, after }, take) {
      const stream = await openStream(base, { after })
      try {
        for (let next = 0; ; next += 1) {
          await stream.until('another row', events => events.length > next)
          const event = stream.events[next]
          const row = event && rowOf(event.data, entryId)
          if (row !== undefined && (await take(row))) return
        }
      } finally {
        stream.close()
      }
    },
    close: async () => {},
  }
}
