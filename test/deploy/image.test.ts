import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { spawn } from '../support/children.ts'
import { freePort } from '../support/ports.ts'
import { eventually, makeDirectory } from '../support/process.ts'
import { ROOT, useService } from './unit.ts'

const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const PATIENCE = 120_000
type Lock = { packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean; link?: boolean }> }

/** The packages that `npm ci --omit=dev --omit=optional` installs, by the lock file. */
function installedPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  return Object.entries(packages)
    .filter(([, { dev, optional, devOptional, link }]) => !dev && !optional && !devOptional && !link)
    .map(([path]) => path)
    .filter(path => path.startsWith('node_modules/'))
}

/** The words of an instruction that is written as a JSON list. */
const wordsOf = (instruction: RegExp): string[] => JSON.parse(instruction.exec(DOCKERFILE)?.[1] ?? '[]') as string[]

test('the files of the image are enough to serve by its command, and to pass its health check', async () => {
  const { path, remove } = makeDirectory()
  const image = join(path, 'image')
  const data = join(path, 'data')
  mkdirSync(data)
  assert.match(DOCKERFILE, /^COPY --from=packages \/program \.\/$/m)
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '))
  const files = [...copied, ...installedPackages()]
  assert.ok(copied.includes('src') && !files.some(name => name.startsWith('node_modules/typescript')))
  for (const name of files) {
    mkdirSync(dirname(join(image, name)), { recursive: true })
    cpSync(join(ROOT, name), join(image, name), { recursive: true })
  }

  const [node = '', ...words] = wordsOf(/^CMD (\[.*\])$/m)
  assert.equal(node, 'node')
  const args = words.map(word => word.replace('/opt/palimpsest', image).replace(/=\/data$/, `=${data}`))
  const port = String(await freePort())
  const settings = { HOST: '0.0.0.0', PORT: port, DATA_DIR: data, COOLDOWN_SECONDS: '0', LOG_LEVEL: 'warn' }
  const child = spawn(process.execPath, args, { cwd: image, env: settings, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  after(async () => {
    child.kill('SIGKILL')
    await ended
    remove()
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk
  })

  // The check is run every few seconds, so it starts no Node.
  const [checker = '', ...check] = wordsOf(/^HEALTHCHECK .*CMD (\[.*\])$/m)
  assert.equal(checker, 'bash')
  const isHealthy = () => spawnSync(checker, check, { env: settings, timeout: PATIENCE }).status === 0
  await eventually('the image is healthy', PATIENCE, async () => {
    assert.equal(child.exitCode, null, stderr)
    return isHealthy() || undefined
  })
  await useService(`http://127.0.0.1:${port}`, readFileSync(join(data, 'admin-token'), 'utf8').trim())
  child.kill('SIGTERM')
  assert.equal(await ended, 0, stderr)
  assert.equal(isHealthy(), false)
  assert.equal(stderr, '')
})
