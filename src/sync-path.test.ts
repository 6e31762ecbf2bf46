import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { syncPath } from './sync-path.ts'

test('a file is synced on every system, and a directory where it can be', t => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-sync-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'file')
  writeFileSync(file, 'content')
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    syncPath(file, platform)
    syncPath(directory, platform)
    assert.throws(() => syncPath(join(directory, 'missing'), platform), { code: 'ENOENT' })
  }
})
