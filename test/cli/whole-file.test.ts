import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeWholeFile } from '../../src/cli/stores/whole-file.ts'
import { OperatorError } from '../../src/operator-error.ts'
import { spawn } from '../support/children.ts'
import { temporaryDirectory } from './command.ts'

let directory: ReturnType<typeof temporaryDirectory>
before(() => {
  directory = temporaryDirectory()
})
after(() => directory.remove())

const path = (name: string): string => join(directory.path, name)
const leftOf = (name: string): string[] => readdirSync(directory.path).filter(one => one.startsWith(name))

test('a file appears under its name only when it is complete, with its mode', async () => {
  const result = await makeWholeFile(path('good'), 0o600, async partial => {
    writeFileSync(partial, 'whole')
    assert.deepEqual(leftOf('good'), ['good.partial'])
    return 'made'
  })
  assert.equal(result, 'made')
  assert.deepEqual(leftOf('good'), ['good'])
  assert.equal(statSync(path('good')).mode & 0o777, 0o600)
})

test('after a failure no file is left, not even those of a database', async () => {
  let calls = 0
  const failing = makeWholeFile(
    path('bad'),
    0o600,
    async partial => {
      for (const ending of ['-wal', '-shm', '-journal']) writeFileSync(partial + ending, '')
      throw new Error('interrupted')
    },
    {
      onFailure: () => {
        calls++
      },
    },
  )
  await assert.rejects(failing, /interrupted/)
  assert.deepEqual(leftOf('bad'), [])
  assert.equal(calls, 1)
})

test('work that resumes gets the partial file of a failed run', async () => {
  const work = (text: string) => (partial: string) => {
    const found = readFileSync(partial, 'utf8')
    writeFileSync(partial, found + text)
    return found === '' ? Promise.reject(new Error('interrupted')) : Promise.resolve(found)
  }
  await assert.rejects(makeWholeFile(path('resumed'), 0o600, work('one'), { resumes: true }), /interrupted/)
  assert.deepEqual(leftOf('resumed'), ['resumed.partial'])
  assert.equal(await makeWholeFile(path('resumed'), 0o600, work('two'), { resumes: true }), 'one')
  assert.deepEqual(leftOf('resumed'), ['resumed'])
  assert.equal(readFileSync(path('resumed'), 'utf8'), 'onetwo')
  assert.equal(statSync(path('resumed')).mode & 0o777, 0o600)
})

test('a full disk is reported with one sentence', async () => {
  const full = makeWholeFile(path('full'), 0o600, async () => {
    throw Object.assign(new Error('write'), { code: 'ENOSPC' })
  })
  await assert.rejects(full, (error: Error) => error instanceof OperatorError && /no space left/.test(error.message))
})

test('a file that appeared in between, and another run in progress, are not touched', async () => {
  const raced = makeWholeFile(path('raced'), 0o600, async () => writeFileSync(path('raced'), 'somebody else'))
  await assert.rejects(raced, /exists already/)
  assert.equal(readFileSync(path('raced'), 'utf8'), 'somebody else')
  writeFileSync(path('twice.partial'), 'at work')
  await assert.rejects(
    makeWholeFile(path('twice'), 0o600, async () => {}),
    /another run is writing it/,
  )
  assert.equal(readFileSync(path('twice.partial'), 'utf8'), 'at work')
})

test('after a signal no file is left', async () => {
  const module = new URL('../../src/cli/stores/whole-file.ts', import.meta.url).href
  const script = `import { makeWholeFile } from ${JSON.stringify(module)}
    setInterval(() => {}, 1000)
    await makeWholeFile(process.argv[1], 0o600, () => new Promise(() => {}))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, path('signal')], { stdio: 'inherit' })
  const ended = new Promise<number | null>(resolve => child.on('exit', code => resolve(code)))
  const deadline = performance.now() + 60_000
  while (!existsSync(path('signal.partial'))) {
    assert.ok(performance.now() < deadline, 'the work did not begin')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  child.kill('SIGTERM')
  assert.equal(await ended, 143)
  assert.deepEqual(leftOf('signal'), [])
})
