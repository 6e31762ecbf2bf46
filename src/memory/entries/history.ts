import { Problem } from '../../contract/problem.ts'
import { toAuthor } from '../actors/rows.ts'
import { listEvidence as evidenceFrom, type SignedEvidence, toContradiction, toVerification } from '../evidence/rows.ts'
import { findAddressed, inTurns, nextQuery, observedRead, pageFrom, type ReadOperation } from '../operation.ts'
import { listRelations as relationsFrom, toRelation } from '../relations/rows.ts'
import { signalsMember } from '../signals/signals.ts'
import { findRevision, listRevisions as revisionsFrom, toRevision } from './rows.ts'
import { assertNotErased } from './rules.ts'

/** Reads one revision of an entry. Its text never changes, but moderation can withdraw it. */
export const readRevision: ReadOperation<'readRevision'> = async (reads, request) => {
  const entry = await findAddressed(reads.reader, request)
  const row = await findRevision(reads.reader, entry.number, request.params.revisionId)
  if (row === undefined) throw new Problem('REVISION_NOT_FOUND')
  assertNotErased(row)
  const body = toRevision(row)
  return { body, etag: row.evidence_hash, records: [row.number], observed: observedRead(entry, row.number) }
}

const numbersOf = (rows: readonly { number: number }[]): number[] => rows.map(({ number }) => number)

/** Lists an entry's revisions, newest first. Erased ones are left out. */
export const listRevisions: ReadOperation<'listRevisions'> = async (reads, request) => {
  const entry = await findAddressed(reads.reader, request)
  const { rows, nextCursor } = await pageFrom(entry.revisions, request, (newest, limit) =>
    revisionsFrom(reads.reader, entry.number, newest, limit),
  )
  await reads.yieldIfOverBudget()
  const shown = rows.filter(({ title }) => title !== '')
  const body = { items: shown.map(toRevision), nextCursor }
  return { body, records: numbersOf(shown), ...nextQuery(nextCursor), observed: observedRead(entry) }
}

/** Lists the relations that start or end at an entry, newest first. */
export const listRelations: ReadOperation<'listRelations'> = async (reads, request) => {
  const entry = await findAddressed(reads.reader, request)
  const { rows, nextCursor } = await pageFrom(entry.relations, request, (newest, limit) =>
    relationsFrom(reads.reader, entry.number, newest, limit),
  )
  const items = await inTurns(reads, rows, row => ({
    ...toRelation(row),
    actor: toAuthor(row),
    ...signalsMember(row.rationale),
  }))
  const body = { items, nextCursor }
  return { body, records: numbersOf(rows), ...nextQuery(nextCursor), observed: observedRead(entry) }
}

const signed = (row: SignedEvidence) => ({ actor: toAuthor(row), ...signalsMember(row.quote, row.rationale) })

/** Lists verifications and contradictions as one stream, newest first. */
export const listEvidence: ReadOperation<'listEvidence'> = async (reads, request) => {
  const entry = await findAddressed(reads.reader, request)
  const { rows, nextCursor } = await pageFrom(entry.evidence, request, (newest, limit) =>
    evidenceFrom(reads.reader, entry.number, newest, limit),
  )
  const [verified, contradicted] = [
    rows.filter(row => row.kind === 'VERIFY'),
    rows.filter(row => row.kind === 'CONTRADICT'),
  ]
  return {
    body: {
      verifications: await inTurns(reads, verified, row => ({ ...toVerification(row), ...signed(row) })),
      contradictions: await inTurns(reads, contradicted, row => ({ ...toContradiction(row), ...signed(row) })),
      nextCursor,
    },
    records: numbersOf([...verified, ...contradicted]),
    ...nextQuery(nextCursor),
    observed: observedRead(entry),
  }
}
