import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { ScheduledBackups } from '../../src/cli/stores/scheduled.ts'
import { readConfig } from '../../src/config.ts'
import { backupFinding, type Finding } from '../../src/http/status.ts'
import { ADMIN_TOKEN } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { AS_ADMIN } from '../support/moderation.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'
import { expectDone, expectRefusal } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
const directory = makeDirectory()
after(() => directory.remove())
const PATIENCE = 120_000

test('a service backs itself up, retains the newest copies, and restores one for proof', async () => {
  const BACKUP_DIR = join(directory.path, 'backups')
  mkdirSync(BACKUP_DIR)
  const earlier = ['20250101-000000', '20250102-000000', '20250103-000000'].map(time => `palimpsest-${time}.db`)
  for (const name of [...earlier, 'palimpsest-mine.db']) writeFileSync(join(BACKUP_DIR, name), 'earlier')
  // The service copies its store as soon as it is ready, so a first run writes the entry.
  const dataDir = join(directory.path, 'data')
  const first = await startServer(dataDir, { env: { PORT: '0', ADMIN_TOKEN } })
  const { slug } = await newEntry(first.url, (await newActor(first.url)).token)
  await first.stop()
  const service = await startServer(dataDir, { env: { PORT: '0', ADMIN_TOKEN, BACKUP_DIR, BACKUP_KEEP: '2' } })
  const findings = async (): Promise<Finding | undefined> => {
    const answer = await call<{ findings: Finding[] }>(service.url, 'GET', '/admin/status', { headers: AS_ADMIN })
    return expectStatus(answer, 200).findings.find(({ what }) => what === 'backup')
  }
  await eventually('a backup was restored', PATIENCE, async () =>
    /, restored \d/.test((await findings())?.finding ?? '') ? true : undefined,
  )
  assert.match((await findings())?.finding ?? '', /has 2, the newest \d+ \w+ ago, restored \d+ \w+ ago$/)
  assert.equal((await findings())?.mark, 'ok')
  const names = readdirSync(BACKUP_DIR).sort()
  const [made = ''] = names.filter(name => /^palimpsest-\d/.test(name) && !earlier.includes(name))
  assert.deepEqual(names, ['last-restore', earlier[2], made, 'palimpsest-mine.db'])
  const metrics = (await call(service.url, 'GET', '/metrics', { headers: AS_ADMIN })).text
  for (const name of ['backup_age_seconds', 'backup_restore_age_seconds'])
    assert.match(metrics, new RegExp(`^palimpsest_${name} `, 'm'))
  assert.match(metrics, /^palimpsest_backup_failing 0$/m)
  assert.equal((await service.stop()).code, 0)
  const restored = join(directory.path, 'restored')
  expectDone(await inProcess(['restore', '--from', join(BACKUP_DIR, made), '--data-dir', restored]))
  const exported = expectDone(await inProcess(['export', '--data-dir', restored], { env: { DATA_DIR: restored } }))
  assert.ok(exported.includes(slug))
})

test('a run that fails is reported with its reason, and counts as no backup', async () => {
  const settings = { DATA_DIR: join(directory.path, 'missing'), BACKUP_DIR: join(directory.path, 'failing') }
  const config = readConfig(settings)
  const backups = new ScheduledBackups({ ...config, backupDir: settings.BACKUP_DIR }, pino({ level: 'silent' }))
  const ending = new AbortController()
  backups.begin(ending.signal)
  const { failure, newest } = await eventually('the run has failed', PATIENCE, async () =>
    backups.status().failure === undefined ? undefined : backups.status(),
  )
  ending.abort()
  assert.match(failure ?? '', /missing/)
  assert.equal(newest, undefined)
  const { mark, finding } = backupFinding(backups.status(), Date.now())
  assert.equal(mark, 'FAIL')
  assert.match(finding, /none yet, none was restored yet; the last run failed: /)
  assert.deepEqual(readdirSync(settings.BACKUP_DIR), [])
})

test('backups are late after two intervals', () => {
  const status = { directory: 'd', files: 1, newest: 0, restored: 0, beganAt: 0, failure: undefined, every: 1_000 }
  assert.equal(backupFinding(status, 2_000).mark, 'ok')
  assert.equal(backupFinding(status, 2_001).mark, 'FAIL')
  assert.equal(backupFinding({ ...status, newest: undefined }, 2_001).mark, 'FAIL')
})

test('a service over PostgreSQL refuses BACKUP_DIR, and every service an interval that is no time', async () => {
  const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none'
  const serve = (env: Record<string, string>) =>
    inProcess(['serve'], { env: { PORT: '0', BACKUP_DIR: directory.path, ...env } })
  expectRefusal(await serve({ DATABASE_URL }), 1, /BACKUP_DIR copies an embedded store, and DATABASE_URL is set/)
  for (const BACKUP_EVERY of ['1', '4m', '32d', '1w', '-1d'])
    expectRefusal(await serve({ BACKUP_EVERY }), 1, /BACKUP_EVERY must be a time from 5m to 31d/)
})
