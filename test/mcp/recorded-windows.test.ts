import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { recordWindows } from '../../scripts/record-windows.ts'
import { asciicast, drawing, type Row } from '../../scripts/terminal.ts'
import { makeDirectory } from '../support/process.ts'
import { canFindOwner } from '../support/windows.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const LARGEST = 60_000

/** Asserts that a write was sent before the kill and answered after it, and that each note is stored once. */
function assertClaims(rows: readonly Pick<Row, 'at' | 'text'>[]): void {
  const texts = rows.map(({ text }) => text)
  const killed = texts.indexOf('SIGKILL')
  assert.match(texts[killed - 1] ?? '', /^publish "/)
  assert.match(texts[killed + 1] ?? '', /^Published entry /)
  assert.equal(texts[killed + 2], 'window B has the store open')
  assert.ok(texts.slice(0, killed).includes('ready; window A has the store open'))
  const titles = texts.flatMap(text => /^publish "(.*)"$/.exec(text)?.[1] ?? [])
  const slugs = texts.flatMap(text => /^"slug":"(.*)"$/.exec(text)?.[1] ?? [])
  assert.deepEqual(
    slugs.toReversed(),
    titles.map(title => title.toLowerCase().replaceAll(' ', '-')),
  )
  assert.equal(texts.at(-1), `${titles.length} writes, ${titles.length} entries`)
  const times = rows.map(({ at }) => at)
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
}

/** The rows of an asciicast 2. */
function rowsOf(cast: string): Pick<Row, 'at' | 'text'>[] {
  const [header, ...events] = cast
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.equal(header.version, 2)
  return events.map(([at, kind, data]) => {
    assert.equal(kind, 'o')
    return { at, text: /\u001b\[\d+m(.*)\u001b\[0m/.exec(data)?.[1] ?? '' }
  })
}

test(
  'a recording of two windows and a kill shows that no write was lost or doubled',
  canFindOwner ? {} : { skip: 'needs /proc, to find the process that owns the store' },
  async t => {
    const directory = makeDirectory()
    t.after(directory.remove)
    const rows = await recordWindows(directory.path, 0)
    assertClaims(rows)
    assertClaims(rowsOf(asciicast('title', rows)))
    assert.match(drawing('a "title"', rows), /aria-label="a &quot;title&quot;"/)
  },
)

test('the recording in the documents is small and has the same claims in both forms', () => {
  const [cast, svg] = ['cast', 'svg'].map(kind => readFileSync(join(DOCS, `windows.${kind}`), 'utf8')) as [
    string,
    string,
  ]
  assert.ok(Buffer.byteLength(cast) + Buffer.byteLength(svg) < LARGEST)
  const rows = rowsOf(cast)
  assertClaims(rows)
  const unescaped = svg.replaceAll('&quot;', '"')
  for (const { text } of rows) assert.ok(unescaped.includes(`>${text}</text>`), text)
})
