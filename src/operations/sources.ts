import type { SourcePair } from '../contract/inputs.ts'
import { Problem } from '../contract/problem.ts'
import type { Reader } from '../database/database.ts'
import { isCitable } from '../store/revision.ts'

/** The sources as they are kept, ids in lower case; each must be an exact revision of a public entry. */
export async function citedSources(reader: Reader, sources: readonly SourcePair[] = []): Promise<SourcePair[]> {
  const citable = await Promise.all(sources.map(({ entryId, revisionId }) => isCitable(reader, entryId, revisionId)))
  if (citable.includes(false)) throw new Problem('SOURCE_NOT_FOUND')
  return sources.map(({ entryId, revisionId }) => ({
    entryId: entryId.toLowerCase(),
    revisionId: revisionId.toLowerCase(),
  }))
}
