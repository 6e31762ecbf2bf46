import { hash } from 'node:crypto'
import { toUint64 } from '../../tlog/bytes.js'
import { entryText, SALT_BYTES } from '../../tlog/entry.js'
import { canonicalRecord } from '../canonical-record.ts'
import { leafHash } from './tree.ts'

/** The kind of a leaf: a permanent record, or the continuation of another log. */
export type RecordKind = 'revision' | 'evidence' | 'relation' | 'moderation' | 'continuation'

/** What a leaf says about its record, except for the number. */
export type Leaf = { kind: RecordKind; commitment: Uint8Array<ArrayBuffer> }

/** Members of every statement. Numbers of records and sequences are decimal strings, as everywhere in the contract. */
type Recorded = { record: string }
type Acted = Recorded & { actorId: string; sequence: string; dataClass: string }

/**
 * The facts of a record that never change and that moderation cannot take from an answer without withdrawing the record.
 * No declared name, address, origin, token or user agent is among them. `slug` and `tags` belong to first revisions only, because no
 * evidenceHash covers them.
 */
export type Facts = {
  revision: Acted & { entryRecord: string; entryId: string; evidenceHash: string; slug?: string; tags?: string[] }
  evidence: Acted & {
    id: string
    entryRecord: string
    entryId: string
    revisionId: string
    ordinal: number
    action: 'VERIFY' | 'CONTRADICT'
    result: string | null
    confidence: number | null
    rationale: string
    sourceRecord: string | null
    createdAt: string
  }
  relation: Acted & {
    id: string
    relationType: string
    sourceEntryRecord: string
    targetEntryRecord: string
    rationale: string | null
    createdAt: string
  }
  moderation: Recorded & {
    id: string
    targetType: string
    targetId: string
    action: string
    reason: string
    changed: boolean
    createdAt: string
  }
  continuation: Recorded & { previousOrigin: string; size: number; checkpoint: string }
}

const ACTED = ['record', 'actorId', 'sequence', 'dataClass'] as const
const MEMBERS: { [Kind in RecordKind]: readonly (keyof Facts[Kind])[] } = {
  revision: [...ACTED, 'entryRecord', 'entryId', 'evidenceHash', 'slug', 'tags'],
  evidence: [
    ...ACTED,
    ...(['id', 'entryRecord', 'entryId', 'revisionId', 'ordinal', 'action', 'result', 'confidence'] as const),
    ...(['rationale', 'sourceRecord', 'createdAt'] as const),
  ],
  relation: [...ACTED, 'id', 'relationType', 'sourceEntryRecord', 'targetEntryRecord', 'rationale', 'createdAt'],
  moderation: ['record', 'id', 'targetType', 'targetId', 'action', 'reason', 'changed', 'createdAt'],
  continuation: ['record', 'previousOrigin', 'size', 'checkpoint'],
}

/** The statement of a record: the RFC 8785 form of `kind` and exactly the members of that kind; other members of `facts` are left out. */
export function statementOf<Kind extends RecordKind>(kind: Kind, facts: Facts[Kind]): string {
  const members = MEMBERS[kind].filter(name => facts[name] !== undefined).map(name => [name, facts[name]])
  return canonicalRecord({ kind, ...Object.fromEntries(members) })
}

/** The salt of a record: the first 16 bytes of SHA-256(log secret ∥ record number as 8 bytes, big-endian). */
export const saltOf = (secret: Uint8Array, record: number): Buffer =>
  hash('sha256', Buffer.concat([secret, toUint64(record)]), 'buffer').subarray(0, SALT_BYTES)

/** The commitment of a record: SHA-256(salt ∥ statement). */
export const commitmentOf = (salt: Uint8Array, statement: string): Buffer =>
  hash('sha256', Buffer.concat([salt, Buffer.from(statement)]), 'buffer')

/** The leaf of a record with a statement. */
export const leafOf = (kind: RecordKind, salt: Uint8Array, statement: string): Leaf => ({
  kind,
  commitment: new Uint8Array(commitmentOf(salt, statement)),
})

/** The hash of the leaf of a record in the tree. The leaf is number `record` - 1. */
export const hashOfLeaf = (record: number, { kind, commitment }: Leaf): Buffer =>
  leafHash(
    entryText(
      record,
      kind,
      Buffer.from(commitment.buffer, commitment.byteOffset, commitment.length).toString('base64'),
    ),
  )
