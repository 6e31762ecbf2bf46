import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { waitUnlessAborted } from '../../engine/database.ts'
import type { BackupStatus } from '../../http/status.ts'
import { OperatorError } from '../../operator-error.ts'

const LAUNCHER = fileURLToPath(new URL('../../../bin/palimpsest.js', import.meta.url))
/** The name of a backup, with its time in UTC, as palimpsest-backup.service names it too. */
const NAME = /^palimpsest-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\.db$/
/** A file whose time of change is that of the last restore; it has the name of the restored backup. */
const RESTORED = 'last-restore'
const SCRATCH = 'restore-'
const DAY_MS = 86_400_000
/** Milliseconds until a failed run is repeated, and between two looks at the clock, which may be set or stand still. */
const RETRY_MS = 3_600_000
const LOOK_MS = 30_000

/** Throws OperatorError if BACKUP_DIR is set where the service cannot make backups. */
function assertCanBackUp({ databaseUrl }: Config): void {
  if (databaseUrl !== undefined)
    throw new OperatorError(
      'BACKUP_DIR copies an embedded store, and DATABASE_URL is set: unset one, and dump PostgreSQL with pg_dump.',
    )
  if (process.permission?.has('child') === false)
    throw new OperatorError(
      'BACKUP_DIR needs a second process, which this sandbox forbids: unset it, and enable palimpsest-backup.timer.',
    )
}

/**
 * Backs a store up while it is served: one checked file every `BACKUP_EVERY`, the newest `BACKUP_KEEP` of them, and once a day a restore of
 * the newest one into a scratch directory. Both run in a process of low priority, so that no request waits for them.
 */
export class ScheduledBackups {
  readonly #directory: string
  readonly #config: Pick<Config, 'dataDir' | 'backupEvery' | 'backupKeep'>
  readonly #logger: Logger
  readonly #beganAt = Date.now()
  #signal = new AbortController().signal
  #failure: string | undefined

  constructor(config: Config & { backupDir: string }, logger: Logger) {
    assertCanBackUp(config)
    this.#directory = resolve(config.backupDir)
    this.#config = config
    this.#logger = logger
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    // A process that was killed left its scratch directory.
    for (const name of readdirSync(this.#directory))
      if (name.startsWith(SCRATCH)) rmSync(join(this.#directory, name), { recursive: true, force: true })
  }

  /** The backups of the settings, if BACKUP_DIR is set. */
  static of(config: Config, logger: Logger): ScheduledBackups | undefined {
    const { backupDir } = config
    return backupDir === undefined ? undefined : new ScheduledBackups({ ...config, backupDir }, logger)
  }

  /** Begins. The signal ends a run in progress. */
  begin(signal: AbortSignal): void {
    this.#signal = signal
    this.#follow().catch(error => {
      if (!signal.aborted) this.#logger.error({ err: error }, 'the backups have ended')
    })
  }

  status(): BackupStatus {
    const times = this.#files().map(timeOf)
    const restored = statSync(join(this.#directory, RESTORED), { throwIfNoEntry: false })?.mtimeMs
    return {
      directory: this.#directory,
      files: times.length,
      newest: times.at(-1),
      restored,
      beganAt: this.#beganAt,
      failure: this.#failure,
      every: this.#config.backupEvery,
    }
  }

  async #follow(): Promise<void> {
    const signal = this.#signal
    let failedAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      const { newest = Number.NEGATIVE_INFINITY, every } = this.status()
      if (Date.now() - newest >= every && performance.now() - failedAt >= RETRY_MS) {
        await this.#run()
        failedAt = this.#failure === undefined ? Number.NEGATIVE_INFINITY : performance.now()
      }
      await waitUnlessAborted(LOOK_MS, signal)
    }
  }

  /** Makes a backup, deletes old ones, and restores the new one if the last restore was a day ago. */
  async #run(): Promise<void> {
    const file = join(this.#directory, nameAt(new Date()))
    try {
      await this.#perform('backup', '--to', file, '--data-dir', this.#config.dataDir)
      for (const old of this.#files().slice(0, -this.#config.backupKeep)) rmSync(join(this.#directory, old))
      if (Date.now() - (this.status().restored ?? 0) >= DAY_MS) await this.#restore(file)
      this.#failure = undefined
      this.#logger.info({ file }, 'the store was backed up')
    } catch (error) {
      if (this.#signal.aborted) return
      this.#failure = (error as Error).message
      this.#logger.error({ file, reason: this.#failure }, 'the backup failed; it is tried again in an hour')
    }
  }

  async #restore(file: string): Promise<void> {
    const scratch = mkdtempSync(join(this.#directory, SCRATCH))
    try {
      await this.#perform('restore', '--from', file, '--data-dir', join(scratch, 'data'))
      writeFileSync(join(this.#directory, RESTORED), `${file}\n`)
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  }

  /** Runs a command in a process of low priority. Rejects with the last line of its standard error. */
  #perform(...args: string[]): Promise<void> {
    const { PATH, TMPDIR } = process.env
    const env = { ...(PATH === undefined ? {} : { PATH }), ...(TMPDIR === undefined ? {} : { TMPDIR }) }
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      env,
      signal: this.#signal,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000)
    })
    if (child.pid !== undefined) lower(child.pid)
    return new Promise((done, reject) => {
      child.once('error', reject)
      child.once('close', (code, by) => {
        const last = said.trimEnd().split('\n').at(-1) ?? ''
        if (code === 0) done()
        else reject(new Error(last === '' ? `${args[0]} ended with ${code ?? by}` : last))
      })
    })
  }

  /** The names of the backups, oldest first; none while the directory cannot be read, so that the next run says why. */
  #files(): string[] {
    try {
      return readdirSync(this.#directory)
        .filter(name => NAME.test(name))
        .sort()
    } catch {
      return []
    }
  }
}

function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // A sandbox may forbid it; the process then has the usual priority.
  }
}

const nameAt = (time: Date): string =>
  `palimpsest-${time.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)}.db`

function timeOf(name: string): number {
  const [year = 0, month = 1, ...rest] = (NAME.exec(name) ?? []).slice(1).map(Number)
  const [day = 1, hour = 0, minute = 0, second = 0] = rest
  return Date.UTC(year, month - 1, day, hour, minute, second)
}
