import { hash } from 'node:crypto'
import type { Revision } from '../contract/resources.ts'
import { TRUST } from '../contract/vocabulary.ts'

type Member = string | number | boolean | null | undefined | readonly Member[] | { readonly [name: string]: Member }

/**
 * The RFC 8785 form of a record. The texts must not have lone surrogates, and the names of members must not begin with a digit. JavaScript
 * then keeps the order of the members, and writes strings and numbers as RFC 8785 does (section 3.2.2).
 */
export const canonicalRecord = (record: Readonly<Record<string, Member>>): string => JSON.stringify(sorted(record))

function sorted(value: Member): Member {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = value as Readonly<Record<string, Member>>
  const copy: Record<string, Member> = {}
  for (const name of Object.keys(members).sort()) copy[name] = sorted(members[name])
  return copy
}

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
