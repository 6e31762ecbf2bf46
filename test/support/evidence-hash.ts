import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Revision } from '../../src/contract/resources.ts'

const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** An independent implementation of RFC 8785: keys ordered by UTF-16 code units, the shortest escapes, nothing else changed. */
function canonical(value: unknown): string {
  if (typeof value === 'string') {
    const escaped = value.replace(
      /["\\\u0000-\u001f]/g,
      character => ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return `"${escaped}"`
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${members.map(([key, member]) => `${canonical(key)}:${canonical(member)}`).join(',')}}`
  }
  assert.ok(value === null || typeof value === 'boolean' || Number.isSafeInteger(value), `no rule for ${value}`)
  return String(value)
}

/** The evidenceHash of a revision as served, computed from that of the previous revision; null for the first. */
export function hashOf(revision: Revision, previousEvidenceHash: string | null): string {
  const { evidenceHash: _, ...served } = revision
  return createHash('sha256')
    .update(canonical({ ...served, previousEvidenceHash }), 'utf8')
    .digest('hex')
}
