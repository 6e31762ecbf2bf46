import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NAMED_INPUTS, OPERATIONS, type Operation } from '../../src/contract/operations.ts'
import { placesOf, type Schema } from './cases.ts'

/**
 * The bounds that docs/api.md does not state, written down a second time: those of members within members, and of parameters of paths. A
 * change of any other bound changes docs/api.md, which test/docs.test.ts compares.
 */
const SOURCES = {
  'sources.0': 'object',
  'sources.0.entryId': 'uuid required',
  'sources.0.revisionId': 'uuid required',
}
const observedOn = (of: string) => ({
  [`${of}.0`]: 'object',
  [`${of}.0.name`]: 'text 1..60 required',
  [`${of}.0.version`]: 'text 1..60 required',
})
const WITHIN: Partial<Record<keyof typeof NAMED_INPUTS, Record<string, string>>> = {
  CreateInput: { 'tags.0': 'text 1..40', ...SOURCES },
  RevisionInput: SOURCES,
  EvidenceInput: {
    'items.0': 'object',
    'items.0.entry': 'text 1..120 required',
    'items.0.revisionId': 'uuid required',
    'items.0.kind': 'VERIFY|CONTRADICT required',
    'items.0.result': 'SUPPORTED|UNSUPPORTED|INCONCLUSIVE',
    'items.0.confidence': 'number 0..1',
    'items.0.rationale': 'text 1..1000 required',
    'items.0.sourceEntryId': 'uuid',
    'items.0.quote': 'text 1..500',
    'items.0.observedOn': 'list 1..8',
    ...observedOn('items.0.observedOn'),
  },
  FeedbackInput: observedOn('observedOn'),
  PinsInput: {
    'pins.0': 'object',
    'pins.0.entryId': 'uuid',
    'pins.0.slug': 'text 1..120',
    'pins.0.revisionId': 'uuid required',
  },
}

function boundsOf(schema: Schema) {
  const { type, enum: words, format, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  if (words !== undefined) return words.join('|')
  if (format === 'uuid') return 'uuid'
  if (type === 'string') return `text ${minLength ?? ''}..${maxLength ?? ''}`
  if (type === 'array') return `list ${minItems ?? ''}..${maxItems}`
  return type === 'object' ? 'object' : `${type} ${minimum}..${maximum}`
}

test('every member within a member has the bounds of the interface', () => {
  for (const [name, schema] of Object.entries(NAMED_INPUTS)) {
    const described = placesOf(schema as Schema)
      .filter(({ at }) => at.length > 1)
      .map(({ at, schema: own, required }) => [at.join('.'), boundsOf(own) + (required ? ' required' : '')])
    assert.deepEqual(Object.fromEntries(described), WITHIN[name as keyof typeof WITHIN] ?? {}, name)
  }
})

test('every parameter of a path has the bounds of the interface', () => {
  const IDS = ['resolveReport', 'readReport', 'readActor']
  for (const [name, { params }] of Object.entries(OPERATIONS) as [string, Operation][]) {
    for (const [parameter, schema] of Object.entries(params)) {
      const digits = parameter === 'record' || parameter === 'sequence'
      const isId = parameter === 'revisionId' || IDS.includes(name)
      const { pattern = '' } = schema as Schema
      const wanted = digits ? '^[0-9]{1,19}$' : isId ? 'uuid' : 'text 1..120'
      assert.equal(digits ? pattern : boundsOf(schema as Schema), wanted, name)
    }
  }
})
