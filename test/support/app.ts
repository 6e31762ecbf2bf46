import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { dayOf } from '../../src/http/identify.ts'
import type { Store } from '../../src/memory/store.ts'
import { OperatorError } from '../../src/operator-error.ts'
import { atEnd } from './at-end.ts'
import { dropDatabaseOf, ENGINE, type EngineName, engineSettings } from './engine.ts'

export const ADMIN_TOKEN = 'test-admin-token-0123456789'

export type TestApp = {
  url: string
  dataDir: string
  store: Store
  /** The address of the metrics that need no token, if METRICS_PORT is set. */
  metricsUrl: string | undefined
  /** The log so far, one JSON object per line. */
  log(): string
  /** Resolves with the fault when the store breaks. The process of a service would then end with its message. */
  broken: Promise<Error>
  /** Advances the clock of the app by milliseconds. Only the HTTP service and the writes that it sends to the store use this clock. */
  advance(milliseconds: number): void
  /** Runs housekeeping as after `served` milliseconds of service, independent of the clock. */
  sweep(served: number): Promise<void>
  /** Stops and starts the app again on the same directory; the address changes. */
  restart(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Maximum time to wait for a database, in milliseconds. */
const PATIENCE = 60_000

/** Waits until the store can be used. The service listens before it has connected to PostgreSQL. */
async function reached({ store }: { store: Store }): Promise<void> {
  const until = performance.now() + PATIENCE
  while (!store.readiness().ready) {
    if (performance.now() > until) throw new Error(`The store is not ready within ${PATIENCE} ms.`)
    await setTimeout(20)
  }
}

const opened = new Set<TestApp>()
/** A resource that a failed test left open would keep the process running. */
atEnd(async () => {
  for (const app of opened) await app.close()
})

export type Start = {
  /** The store to run on; by default the one under test. */
  engine?: EngineName
  /** The clock before `advance`, in milliseconds since 1970; by default the system clock. */
  now?: () => number
  /** 'away' starts the app without waiting for the database. */
  database?: 'away'
}

/**
 * Starts the whole service in this process, on a free port and a temporary directory, with high limits unless `settings` (environment
 * variables) sets other limits. `close` removes everything that it made.
 */
export async function startApp(
  settings: Record<string, string> = {},
  { engine = ENGINE, now = Date.now, database }: Start = {},
): Promise<TestApp> {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-test-'))
  let logged = ''
  let offset = 0
  const logger = pino(
    { level: 'debug', base: null },
    {
      write: (line: string) => {
        logged += line
      },
    },
  )
  const config = readConfig({
    PORT: '0',
    DATA_DIR: join(directory, 'data'),
    ADMIN_TOKEN,
    READ_LIMIT_PER_MINUTE: '1000000',
    WRITE_LIMIT_PER_MINUTE: '1000000',
    COOLDOWN_SECONDS: '0',
    ...(await engineSettings(directory, engine)),
    ...settings,
  })
  const { promise: broken, resolve: onBroken } = Promise.withResolvers<Error>()
  const open = () => openApp(config, { logger, now: () => now() + offset, onBroken })
  const remove = async (): Promise<void> => {
    await dropDatabaseOf(directory)
    await rm(directory, { recursive: true, force: true })
  }
  let app = await open().catch(async error => {
    await remove()
    throw error
  })
  if (database !== 'away') await reached(app)
  const started: TestApp = {
    get url() {
      return app.url
    },
    dataDir: config.dataDir,
    get store() {
      return app.store
    },
    get metricsUrl() {
      return app.metricsUrl
    },
    log: () => logged,
    broken,
    advance: milliseconds => {
      offset += milliseconds
    },
    async sweep(served) {
      const at = now() + offset
      const due = { today: dayOf(at), retentionDays: config.activityRetentionDays, served }
      await app.store.maintain('sweep', due, { at, cooldown: 0, dataClass: 'INTERNAL' })
    },
    async restart() {
      await app.close()
      app = await open()
      if (database !== 'away') await reached(app)
    },
    async close() {
      if (!opened.delete(started)) return
      await app.close()
      await remove()
    },
    [Symbol.asyncDispose]: () => started.close(),
  }
  opened.add(started)
  return started
}

/** Asserts that a start on this directory is refused with one sentence, which the command line prints without a stack. */
export async function assertStartRefused(dataDir: string, sentence: RegExp): Promise<void> {
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, ADMIN_TOKEN })
  await assert.rejects(openApp(config, { logger: pino({ level: 'silent' }) }), (error: Error) => {
    assert.ok(error instanceof OperatorError || error.name === 'StoreFault', error.stack)
    assert.match(error.message, sentence)
    assert.doesNotMatch(error.message, /\n/)
    return true
  })
}

/**
 * Starts a service before the tests of a file and stops it after them. `prepare` runs after the start. Hooks of the file itself run
 * concurrently with the start, so they must not use the service.
 */
export function useApp(settings: Record<string, string> = {}, prepare = async () => {}): TestApp {
  return usedApp(
    () => startApp(settings),
    prepare,
    app => app.close(),
  )
}

/** A service whose store also has what earlier files wrote. The next files have the same clock, so it is not moved. */
export type SharedApp = Omit<TestApp, 'advance' | 'sweep' | 'close'>
const shared = new Map<string, Promise<TestApp>>()

/** Like `useApp`, with one service for all files of this process that share one with the same settings. It stops after the last file. */
export function shareApp(settings: Record<string, string> = {}, prepare = async () => {}): SharedApp {
  const key = JSON.stringify(settings)
  const start = (): Promise<TestApp> => {
    const app = shared.get(key) ?? startApp(settings)
    shared.set(key, app)
    return app
  }
  return usedApp(start, prepare, () => {})
}

function usedApp(
  start: () => Promise<TestApp>,
  prepare: () => Promise<void>,
  end: (app: TestApp) => Promise<void> | void,
): TestApp {
  let app: TestApp | undefined
  before(async () => {
    app = await start()
    await prepare()
  })
  after(() => app && end(app))
  return new Proxy({} as TestApp, {
    get(_, name) {
      if (app === undefined) throw new Error('The service has not started: use it in `prepare` or in a test.')
      return Reflect.get(app, name)
    },
  })
}
