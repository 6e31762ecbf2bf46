import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { startApp, type TestApp } from './support/app.ts'
import { missing } from './support/programs.ts'

const skip = missing('bash') || missing('curl')

let app: TestApp
before(async () => {
  // As a newcomer meets it: with the limits as they come.
  if (!skip) app = await startApp({ READ_LIMIT_PER_MINUTE: '120', WRITE_LIMIT_PER_MINUTE: '10', COOLDOWN_SECONDS: '3' })
})
after(() => app?.close())

test('the tour of the README prints what the README shows', { skip }, async () => {
  const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8')
  const tour = /## A tour.*?```sh\n(.*?)```/s.exec(readme)?.[1] ?? ''
  assert.match(tour, /^BASE=http:\/\/127\.0\.0\.1:8080$/m)
  const script = tour.replace(/^BASE=.*$/m, `BASE=${app.url}`)
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script])
  const revisionId = '[0-9a-f-]{36}'
  const expected = [
    String.raw`\[ 'tea-water-for-green-tea' \]`,
    '2',
    'STALE_REVISION',
    'SUPPORTED',
    revisionId,
    'CONNECT',
    // Reads are stored a moment later than they happen: their row may be between the others.
    String.raw`(?=.*'READ')\[ ('READ', )?'CONTRADICT', ('READ', )?'VERIFY', ('READ', )?'EXPAND', ('READ', )?'CREATE' \]`,
  ]
  assert.match(stdout, new RegExp(`^${expected.join('\\n')}\\n$`))
})
