import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { OperatorError } from '../../operator-error.ts'
import { isServed, lockDataDirectory, lockFile, prepareDataDirectory } from './directory.ts'

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-directory-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const isSentence = (part: string) => (error: unknown) =>
  error instanceof OperatorError && error.message.includes(part) && !error.message.includes('\n')

test('a data directory is made for its owner only, and nothing is left in it', () => {
  const path = prepareDataDirectory(join(directory, 'a', 'b'))
  assert.ok(existsSync(path))
  assert.equal(statSync(path).mode & 0o777, 0o700)
  assert.deepEqual(readdirSync(path), [])
  assert.equal(prepareDataDirectory(path), path)
})

test('an unusable data directory is reported with a sentence that names it', () => {
  const file = join(directory, 'file')
  writeFileSync(file, '')
  assert.throws(() => prepareDataDirectory(file), isSentence(file))
  assert.throws(() => prepareDataDirectory(join(file, 'below')), isSentence(file))
})

test('one process has the lock at a time; after a release another may take it', () => {
  const path = prepareDataDirectory(join(directory, 'locked'))
  {
    using _lock = lockDataDirectory(path)
    assert.throws(() => lockDataDirectory(path), isSentence('in use by another'))
  }
  lockDataDirectory(path)[Symbol.dispose]()
})

test('an unusable lock file is distinguished from a taken lock', () => {
  const path = prepareDataDirectory(join(directory, 'garbage'))
  writeFileSync(lockFile(path), 'garbage that is no database, long enough to have been one: '.repeat(20))
  assert.throws(() => lockDataDirectory(path), isSentence('delete that file'))
})

test('a check whether a directory is served never makes a start there fail', async () => {
  const path = prepareDataDirectory(join(directory, 'looked at'))
  lockDataDirectory(path)[Symbol.dispose]()
  const looks = new Int32Array(new SharedArrayBuffer(4))
  const look = `const { parentPort, workerData: { module, path, looks } } = require('node:worker_threads')
    import(module).then(({ isServed }) => {
      while (Atomics.add(looks, 0, 1) >= 0) isServed(path)
      parentPort.close()
    })`
  const module = new URL('./directory.ts', import.meta.url).href
  const looker = new Worker(look, { eval: true, workerData: { module, path, looks } })
  const ended = once(looker, 'exit')
  while (Atomics.load(looks, 0) < 10) await setImmediate()
  try {
    for (let start = 0; start < 200; start++) {
      using _lock = lockDataDirectory(path)
      assert.equal(isServed(path), true)
    }
  } finally {
    Atomics.store(looks, 0, -1_000_000)
    await ended
  }
  assert.equal(isServed(path), false)
})
