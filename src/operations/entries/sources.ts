import type { SourcePair } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import type { Reader } from '../../database/database.ts'
import { isCitable } from '../../store/revision.ts'

/** Sources with ids in lower case. Throws SOURCE_NOT_FOUND unless each is a revision of a public entry. */
export async function citedSources(reader: Reader, sources: readonly SourcePair[] = []): Promise<SourcePair[]> {
  const citable = await Promise.all(sources.map(({ entryId, revisionId }) => isCitable(reader, entryId, revisionId)))
  if (citable.includes(false)) throw new Problem('SOURCE_NOT_FOUND')
  return sources.map(({ entryId, revisionId }) => ({
    entryId: entryId.toLowerCase(),
    revisionId: revisionId.toLowerCase(),
  }))
}
