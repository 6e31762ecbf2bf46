import { createClient, isClientError } from '../../src/client/index.ts'
import { type OpenFace, rowOf } from './face.ts'

/** `@palimpsest/client`. */
export const openTypeScriptClient: OpenFace = async baseUrl => {
  const client = createClient({ baseUrl })
  return {
    inOrder: true,
    discover: async () => JSON.stringify(await client.readDiscovery()),
    search: async q => (await client.searchEntries({ q })).items.map(({ id }) => id),
    async createActor(declaredName) {
      await client.createActor({ actorType: 'AGENT', declaredName })
    },
    async publish(text) {
      const { id, currentRevisionId } = await client.createEntry(text)
      return { entryId: id, revisionId: currentRevisionId }
    },
    async read(entryId) {
      const { currentRevisionId, content } = await client.readEntry(entryId)
      return { revisionId: currentRevisionId, content }
    },
    async revise({ entryId, revisionId }, text, rationale) {
      const input = { ...text, previousRevisionId: revisionId, changeType: 'CORRECT' as const, rationale }
      try {
        return { revisionId: (await client.reviseEntry(entryId, input)).currentRevisionId }
      } catch (error) {
        if (!isClientError(error)) throw error
        return { refused: error.code }
      }
    },
    async verify({ entryId, revisionId }, rationale) {
      await client.verifyRevision(entryId, { revisionId, result: 'SUPPORTED', confidence: 0.75, rationale })
    },
    async contradict({ entryId, revisionId }, rationale) {
      await client.contradictRevision(entryId, { revisionId, rationale })
    },
    async relate(sourceEntryId, targetEntryId, rationale) {
      await client.relateEntries({ sourceEntryId, targetEntryId, relationType: 'CONNECT', rationale })
    },
    async watch({ entryId, after, signal }, take) {
      for await (const activity of client.watchActivity({ after }, { signal })) {
        const row = rowOf(activity, entryId)
        if (row !== undefined && (await take(row))) return
      }
    },
    close: async () => {},
  }
}
