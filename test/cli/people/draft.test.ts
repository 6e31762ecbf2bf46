import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Draft, formatDraft, parseDraft } from '../../../src/cli/people/draft.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const text = fc.string({ unit: 'binary', maxLength: 40 }).filter(one => one.isWellFormed())
const lines = fc.array(fc.oneof(text, fc.constantFrom('', '---', '# A', '{', '\r', 'title: x')), { maxLength: 6 })
const id = fc.uuid()

test('a draft written as Markdown is parsed to the same draft', t => {
  t.diagnostic(`SEED=${SEED}`)
  const drafts = fc.record(
    {
      previousRevisionId: id,
      title: text,
      summary: text,
      rationale: text,
      changeType: fc.constantFrom('EXPAND', 'CORRECT'),
      tags: fc.array(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 -]{0,8}[A-Za-z0-9]$/), { minLength: 1, maxLength: 8 }),
      sources: fc.array(fc.record({ entryId: id, revisionId: id }, { noNullPrototype: true }), {
        minLength: 1,
        maxLength: 3,
      }),
      content: lines.map(parts => parts.join('\n')),
    },
    { requiredKeys: ['title', 'content'], noNullPrototype: true },
  )
  fc.assert(
    fc.property(drafts, draft => {
      assert.deepEqual(parseDraft(formatDraft(draft as Draft), 'x.md'), draft)
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test('a file written by hand is parsed', () => {
  const written =
    "---\ntitle: SQLite: WAL\nsummary: \"Many readers\"\nrationale: 'It''s measured'\n\n# a remark\ntags: [a b, c]\nsources:\n  - x@y\n---\nBody\n"
  assert.deepEqual(parseDraft(written, 'a.md'), {
    title: 'SQLite: WAL',
    summary: 'Many readers',
    rationale: "It's measured",
    tags: ['a b', 'c'],
    sources: [{ entryId: 'x', revisionId: 'y' }],
    content: 'Body',
  })
  assert.deepEqual(parseDraft('\ufeff# Heading #\r\n\r\nBody\r\n', 'a.md'), {
    title: 'Heading',
    content: '# Heading #\r\n\r\nBody',
  })
  assert.deepEqual(parseDraft('---\ntags:\n- a\n- "b"\n---\n', 'a.md'), { tags: ['a', 'b'], content: '' })
  assert.deepEqual(parseDraft(' {"title":"T","content":"C"}', '-'), { title: 'T', content: 'C' })
})

const WRONG: [string, string, RegExp][] = [
  ['---\ntitle: x\n', 'a.md', /^a\.md begins with --- .* has no end\.$/],
  ['---\nauthor: x\n---\n', 'a.md', /^a\.md, line 2: "author" is not a member of the front matter; the members are /],
  ['---\nconstructor: x\n---\n', 'a.md', /^a\.md, line 2: "constructor" is not a member of the front matter/],
  ['---\ntitle: x\ntitle: y\n---\n', 'a.md', /^a\.md, line 3: title exists twice\.$/],
  ['---\ntitle\n---\n', 'a.md', /^a\.md, line 2, is neither /],
  ['---\nsources: [one]\n---\n', 'a.md', /the source "one" is not "<entry id>@<revision id>"/],
  ['{"title":', 'a.json', /^a\.json begins like a JSON object but is invalid/],
  ['{"slug":"x"}', 'a.json', /^a\.json: "slug" is not a member of a draft; the members are /],
  ['# A\n<<<<<<< yours\nb\n=======\nc\n>>>>>>> theirs\n', 'a.md', /^a\.md still contains "<<<<<<< yours"; resolve/],
]
for (const [index, [given, name, sentence]] of WRONG.entries()) {
  test(`an invalid draft is refused with one sentence: ${index + 1}`, () => {
    assert.throws(() => parseDraft(given, name), { message: sentence })
  })
}
