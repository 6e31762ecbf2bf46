import { hash } from 'node:crypto'
import type { Revision } from '../contract/resources.ts'
import { TRUST } from '../contract/vocabulary.ts'
import { canonicalRecord } from './canonical-record.ts'

/**
 * The link of the chain: SHA-256, lower-case hex, of the RFC 8785 form of the revision as it is served,
 * without `evidenceHash` and with `previousEvidenceHash` (null for the first revision).
 */
export function evidenceHash(revision: Omit<Revision, 'evidenceHash'>, previousEvidenceHash: string | null): string {
  return hash('sha256', canonicalRecord({ ...revision, previousEvidenceHash }), 'hex')
}

type Trust = keyof typeof TRUST

/** A revision with its hash, which links it to the previous one. */
export function chained(
  unhashed: Omit<Revision, 'evidenceHash' | Trust>,
  previousEvidenceHash: string | null,
): Revision {
  const revision = { ...unhashed, ...TRUST }
  return { ...revision, evidenceHash: evidenceHash(revision, previousEvidenceHash) }
}

export const FIRST_REVISION = { changeType: 'CREATE', rationale: 'Initial revision' } as const
