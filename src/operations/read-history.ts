import { Problem } from '../contract/problems.ts'
import { listEvidence as evidenceFrom, toContradiction, toVerification } from '../store/evidence.ts'
import { listRelations as relationsFrom, toRelation } from '../store/relation.ts'
import { findRevision, listRevisions as revisionsFrom, toRevision } from '../store/revision.ts'
import type { ReadOperation } from './operation.ts'
import { addressed, nextOf, pageFrom, readOf } from './pages.ts'

/** Reads one revision of an entry. Its text never changes, but moderation can withdraw it. */
export const readRevision: ReadOperation = async (reads, request) => {
  const entry = await addressed(reads.reader, request)
  const row = await findRevision(reads.reader, entry.number, request.params.revisionId ?? '')
  if (row === undefined) throw new Problem('REVISION_NOT_FOUND')
  return { body: toRevision(row), etag: row.evidence_hash, observed: readOf(entry, row.number) }
}

/** Lists an entry's revisions, newest first. */
export const listRevisions: ReadOperation = async (reads, request) => {
  const entry = await addressed(reads.reader, request)
  const { rows, nextCursor } = await pageFrom(entry.revisions, request, (newest, limit) =>
    revisionsFrom(reads.reader, entry.number, newest, limit),
  )
  return { body: { items: rows.map(toRevision), nextCursor }, ...nextOf(nextCursor), observed: readOf(entry) }
}

/** Lists the relations at either end of which the entry stands, newest first. */
export const listRelations: ReadOperation = async (reads, request) => {
  const entry = await addressed(reads.reader, request)
  const { rows, nextCursor } = await pageFrom(entry.relations, request, (newest, limit) =>
    relationsFrom(reads.reader, entry.number, newest, limit),
  )
  return { body: { items: rows.map(toRelation), nextCursor }, ...nextOf(nextCursor), observed: readOf(entry) }
}

/** Lists verifications and contradictions as one stream, newest first. */
export const listEvidence: ReadOperation = async (reads, request) => {
  const entry = await addressed(reads.reader, request)
  const { rows, nextCursor } = await pageFrom(entry.evidence, request, (newest, limit) =>
    evidenceFrom(reads.reader, entry.number, newest, limit),
  )
  return {
    body: {
      verifications: rows.filter(({ kind }) => kind === 'VERIFY').map(toVerification),
      contradictions: rows.filter(({ kind }) => kind === 'CONTRADICT').map(toContradiction),
      nextCursor,
    },
    ...nextOf(nextCursor),
    observed: readOf(entry),
  }
}
