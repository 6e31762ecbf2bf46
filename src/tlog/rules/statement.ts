import { entryText } from '../verify/entry.js'
import { HASH_BYTES } from '../verify/tile.js'
import { sha256, writeLeafHash } from './tree.ts'

/** The kind of a leaf: a permanent record, or the continuation of another log. */
export type RecordKind = 'revision' | 'evidence' | 'relation' | 'moderation' | 'continuation'

/** The contents of a leaf, without the number of its record. */
export type Leaf = { kind: RecordKind; commitment: Buffer<ArrayBuffer> }

/** Members of every statement. Numbers of records and sequences are decimal strings, as everywhere in the contract. */
type Recorded = { record: string }
type Acted = Recorded & { actorId: string; sequence: string; dataClass: string }

/**
 * The facts of a record that never change, and that moderation can remove from answers only by withdrawing the record. They include no
 * declared name, address, origin, token or user agent. Only first revisions have `slug` and `tags`, because no evidenceHash covers them.
 * Only evidence that was sent with `quote` or `observedOn` has them.
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
    quote?: string
    observedOn?: { name: string; version: string }[]
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

const ACTED = ['kind', 'record', 'actorId', 'sequence', 'dataClass'] as const
/** The members of each statement in the order of RFC 8785. The members of `observedOn` are in that order too. */
const MEMBERS: { [Kind in RecordKind]: readonly ('kind' | keyof Facts[Kind])[] } = {
  revision: [...ACTED, ...(['entryRecord', 'entryId', 'evidenceHash', 'slug', 'tags'] as const)].toSorted(),
  evidence: [
    ...ACTED,
    ...(['id', 'entryRecord', 'entryId', 'revisionId', 'ordinal', 'action', 'result', 'confidence'] as const),
    ...(['rationale', 'quote', 'observedOn', 'sourceRecord', 'createdAt'] as const),
  ].toSorted(),
  relation: [
    ...ACTED,
    ...(['id', 'relationType', 'sourceEntryRecord', 'targetEntryRecord', 'rationale', 'createdAt'] as const),
  ].toSorted(),
  moderation: (
    ['kind', 'record', 'id', 'targetType', 'targetId', 'action', 'reason', 'changed', 'createdAt'] as const
  ).toSorted(),
  continuation: (['kind', 'record', 'previousOrigin', 'size', 'checkpoint'] as const).toSorted(),
}

/** The statement of a record: the RFC 8785 form of `kind` and exactly the members of that kind; other members of `facts` are left out. */
export function statementOf<Kind extends RecordKind>(kind: Kind, facts: Facts[Kind]): string {
  const statement: { [name in 'kind' | keyof Facts[Kind]]?: unknown } = {}
  for (const name of MEMBERS[kind]) statement[name] = name === 'kind' ? kind : facts[name]
  return JSON.stringify(statement)
}

/** The commitment of a record: SHA-256(salt ∥ statement). */
export function commitmentOf(salt: Uint8Array, statement: string): Buffer<ArrayBuffer> {
  const input = Buffer.allocUnsafe(salt.length + Buffer.byteLength(statement))
  input.set(salt)
  input.write(statement, salt.length)
  return sha256(input)
}

/** The leaf of a record with a statement. */
export const leafOf = (kind: RecordKind, salt: Uint8Array, statement: string): Leaf => ({
  kind,
  commitment: commitmentOf(salt, statement),
})

/** The hash of the leaf of a record in the tree. The leaf is number `record` - 1. */
export function hashOfLeaf(record: number, { kind, commitment }: Leaf): Buffer {
  const hash = Buffer.allocUnsafe(HASH_BYTES)
  writeHashOfLeaf(record, kind, commitment.toString('base64'), hash, 0)
  return hash
}

/**
 * Writes the hash of the leaf of a record into `target` at offset `at`. `commitment` is base64: a proof hashes several bundles of 256
 * leaves without creating a Leaf for each.
 */
export function writeHashOfLeaf(
  record: number,
  kind: RecordKind,
  commitment: string,
  target: Buffer,
  at: number,
): void {
  writeLeafHash(entryText(record, kind, commitment), target, at)
}
