import { text } from 'node:stream/consumers'
import { EVIDENCE_OF_SIDE, LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { Entry, Evidence, Standing, Verification } from '../../contract/resources.ts'
import { readLogProof } from '../../tlog/read.ts'
import { readStanding } from '../evidence/read.ts'
import { type Answer, bodyOf, type ReadOperation, type Reads } from '../operation.ts'
import { listEvidence, listRelations, readRevision } from './history.ts'
import { readEntry } from './read.ts'

/** Reads an entry with a revision, the standing, the newest evidence and relations, and the proof that the log has the revision. */
export const readOverview: ReadOperation<'readOverview'> = async (reads, { params, query }) => {
  const entry = bodyOf(await readEntry(reads, { params, query: {} })) as Entry
  const revisionId = query.revisionId ?? entry.currentRevisionId
  const revision = await readRevision(reads, { params: { ...params, revisionId }, query: {} })
  await reads.yieldIfOverBudget()
  const standing = bodyOf(await readStanding(reads, { params, query: {} })) as Standing
  await reads.yieldIfOverBudget()
  const [evidence, relations, proof] = await Promise.all([
    evidenceOf(reads, params, standing),
    listRelations(reads, { params, query: { limit: LIMITS.pageMax } }),
    proofOf(reads, revision),
  ])
  await reads.yieldIfOverBudget()
  const body = { entry, revision: bodyOf(revision), standing, evidence, relations: bodyOf(relations), proof }
  const { records, observed } = revision
  const [record] = records ?? []
  const feedback = record === undefined ? undefined : reads.handleOf?.(record)
  return {
    body: { ...body, ...(feedback === undefined ? {} : { feedback }) },
    ...(records && { records }),
    ...(observed && { observed }),
  }
}

/** The most pages of evidence that are read to find both sides. */
const EVIDENCE_PAGES = 5

/** The newest evidence of an entry, and older pieces until both sides have `EVIDENCE_OF_SIDE` of them. */
async function evidenceOf(reads: Reads, params: { slug: string }, standing: Standing): Promise<Evidence> {
  const pageFrom = async (before: string | null): Promise<Evidence> => {
    const query = { limit: LIMITS.pageMax, ...(before === null ? {} : { before }) }
    return bodyOf(await listEvidence(reads, { params, query })) as Evidence
  }
  let evidence = await pageFrom(null)
  for (let pages = 1; pages < EVIDENCE_PAGES && evidence.nextCursor !== null && isShort(evidence, standing); pages++) {
    await reads.yieldIfOverBudget()
    const { verifications, contradictions, nextCursor } = await pageFrom(evidence.nextCursor)
    evidence = {
      verifications: [...evidence.verifications, ...verifications],
      contradictions: [...evidence.contradictions, ...contradictions],
      nextCursor,
    }
  }
  return evidence
}

/** Whether one side has fewer than `EVIDENCE_OF_SIDE` pieces although the standing counts more. */
function isShort({ verifications, contradictions }: Evidence, { tally, earlier }: Standing): boolean {
  const count = (verdict: Verification['result']) => verifications.filter(({ result }) => result === verdict).length
  const against = tally.contradicted + tally.unsupported + earlier.contradicted + earlier.unsupported
  return (
    count('SUPPORTED') < Math.min(EVIDENCE_OF_SIDE, tally.supported + earlier.supported) ||
    count('UNSUPPORTED') + contradictions.length < Math.min(EVIDENCE_OF_SIDE, against)
  )
}

/** The proof of the record of a revision; null if the newest checkpoint does not contain it yet. */
async function proofOf(reads: Reads, { records: [record] = [] }: Answer): Promise<string | null> {
  try {
    const { pieces } = await readLogProof(reads, { params: { record: String(record) }, query: {} })
    return pieces === undefined ? null : await text(pieces)
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_IN_LOG') return null
    throw error
  }
}
