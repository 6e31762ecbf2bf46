import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeDirectory } from '../support/process.ts'

const DAY = 86_400_000
const page = readFileSync(join(import.meta.dirname, '../../docs/backups.md'), 'utf8')
const script = /```sh\n# retention\n(.*?)```/s.exec(page)?.[1] ?? ''
const nameOf = (time: number): string =>
  `palimpsest-${new Date(time).toISOString().slice(0, 10).replaceAll('-', '')}-030000.db`

test('the retention of docs/backups.md stores the newest 14 and the first of each month of a year', () => {
  const { path, remove } = makeDirectory()
  try {
    assert.match(script, /^cd \/var\/lib\/palimpsest-backups$/m)
    const names = Array.from({ length: 500 }, (_, days) => nameOf(Date.now() - days * DAY))
    for (const name of [...names, 'palimpsest-notes.txt', 'other.db']) writeFileSync(join(path, name), '')
    const run = () => execFileSync('sh', ['-euc', script.replace('/var/lib/palimpsest-backups', path)])
    run()
    const left = readdirSync(path).filter(name => /^palimpsest-\d/.test(name))
    for (const name of names.slice(0, 14)) assert.ok(left.includes(name), name)
    const older = left.filter(name => !names.slice(0, 14).includes(name))
    assert.ok(older.length >= 11 && older.length <= 12, older.join())
    for (const name of older) assert.match(name, /^palimpsest-\d{6}01-/)
    assert.ok(readdirSync(path).includes('other.db') && readdirSync(path).includes('palimpsest-notes.txt'))
    run()
    assert.deepEqual(
      readdirSync(path)
        .filter(name => /^palimpsest-\d/.test(name))
        .sort(),
      left.sort(),
    )
  } finally {
    remove()
  }
})
