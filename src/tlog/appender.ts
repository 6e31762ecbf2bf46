import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import { isUnavailable, waitUnlessAborted } from '../engine/database.ts'
import type { Store, WriteEnvironment } from '../memory/store.ts'
import type { LogState, Signed } from './answers.ts'
import type { LogQuestion } from './append.ts'
import type { LogStep } from './rows.ts'
import type { Witnesses } from './witnesses.ts'

/** Maximum number of records that one step appends. Its rows are written in one transaction. */
const STEP = 2_048
/** Interval in milliseconds at which a long catch-up logs its progress. */
const SAY_INTERVAL = 5_000
/** How long this node waits for objections of other nodes before it settles an epoch in which it misses nothing, in milliseconds. */
const OBJECTION = 3_000
const BEGIN_TRIES = 3
/** Maximum time in milliseconds until the next poll of a store that is not open yet, or of a log that may not continue yet. */
const RETRY = 1_000

type LogKeeping = {
  store: Store
  logger: Logger
  environment(): WriteEnvironment
  now(): number
  /** The private key as PEM; throws while it is unknown. */
  pem(): string
  /** The first part of the origin of a new log. */
  host: string
  /** Milliseconds between two checkpoints. */
  interval: number
  /** Witnesses that cosign each checkpoint before it is published. */
  witnesses: Witnesses | undefined
  /** Random hexadecimal digits. */
  randomHex(): string
}

/**
 * Appends committed records to the log of a store, and publishes a signed checkpoint in each interval with new records. Any number of nodes
 * may do so over one database, because each step is a compare-and-swap that depends on committed rows only.
 */
export class LogAppender {
  readonly #keeping: LogKeeping
  readonly #stopped = new AbortController()
  #following: Promise<void> | undefined
  #unsettledSince: number | undefined
  /** The newest record at the time when the log had all records and was signed. */
  #signed: number | undefined
  #said = performance.now()
  /** Whether a log was signed with the key of this node since its start. */
  #signs = false
  #isKeyReported = false
  #known: { origin: string; pem: string; keys: string } | undefined

  constructor(keeping: LogKeeping) {
    this.#keeping = keeping
  }

  /** Settles which log the store has and whether it continues. A write before that could belong to the previous log. */
  async begin(): Promise<void> {
    for (let tries = 0; tries < BEGIN_TRIES; tries++) if ((await this.#poll()) !== undefined) return
  }

  /** Follows the store until `close`. */
  follow(): void {
    this.#following ??= this.#followUntilClosed()
  }

  async close(): Promise<void> {
    this.#stopped.abort()
    await this.#following
  }

  #ask<T>(question: LogQuestion): Promise<T> {
    return this.#keeping.store.askLog(question) as Promise<T>
  }

  /** The state of the log if it may continue. Otherwise takes one step towards settling that, and returns undefined. */
  async #poll(): Promise<LogState | undefined> {
    const state = await this.#ask<LogState>({ ask: 'state' })
    const continuity = judgeLog(state, await this.#keysOf(state.logEpoch?.origin ?? 'none'))
    if (continuity === 'same') {
      this.#unsettledSince = undefined
      this.#signs = true
      this.#isKeyReported = false
      return state
    }
    if (continuity === 'settle') await this.#settle(state)
    else if (this.#signs && continuity.begin === KEY_CHANGED) this.#reportKey(state)
    else await this.#begin(state, continuity)
    return undefined
  }

  /**
   * Logs the change of the key. Only a start begins a log with another key: two running nodes with different keys would begin logs in turn.
   */
  #reportKey({ logEpoch }: LogState): void {
    if (this.#isKeyReported) return
    this.#isKeyReported = true
    this.#keeping.logger.error(
      { origin: logEpoch?.origin },
      'another node signs the public log with another key, and this node signs nothing; give every node the same TLOG_KEY and start it again',
    )
  }

  /** The public keys of this node for an origin. Each question may wait for the index, so the latest answer is remembered. */
  async #keysOf(origin: string): Promise<string> {
    const pem = this.#keeping.pem()
    if (this.#known?.origin !== origin || this.#known.pem !== pem)
      this.#known = { origin, pem, keys: await this.#ask<string>({ ask: 'keys', pem, origin }) }
    return this.#known.keys
  }

  /** Settles that the log continues in the epoch of the store, after the time in which other nodes may object. */
  async #settle({ logEpoch, storeEpoch }: LogState): Promise<void> {
    this.#unsettledSince ??= performance.now()
    if (performance.now() - this.#unsettledSince < OBJECTION) return
    const { store, environment } = this.#keeping
    await store.maintain('settleLog', { after: logEpoch?.number ?? -1, storeEpoch }, environment())
  }

  async #begin(state: LogState, { begin: reason, agreed: by }: Exclude<LogContinuity, string>): Promise<void> {
    const { store, environment, logger, host, randomHex } = this.#keeping
    const { storeEpoch, logEpoch } = state
    const origin = originOf(host, state, randomHex())
    const signed = [state.kept?.note, state.published?.note].filter(note => note !== undefined)
    const agreed = by === 'stored' ? state.log.size : await this.#ask<number>({ ask: 'agreed', signed })
    const checkpoint = later(state.kept, state.published)?.note ?? null
    const begin = { origin, keys: await this.#keysOf(origin), agreed, checkpoint }
    const begun = await store.maintain('settleLog', { after: logEpoch?.number ?? -1, storeEpoch, begin }, environment())
    const level = logEpoch === undefined ? 'info' : 'warn'
    if (!begun) return
    this.#signs = true
    logger[level]({ origin, previous: logEpoch?.origin, agreed, reason }, 'a public log begins')
  }

  /**
   * Appends the existing records, for one interval at most. Returns true if more remain. Later records wait for the next round, because
   * many small steps would write the same bundles repeatedly.
   */
  async #extend(): Promise<boolean> {
    const { store, environment, logger, interval } = this.#keeping
    const until = performance.now() + interval
    while (!this.#stopped.signal.aborted) {
      const step = await this.#ask<LogStep | undefined>({ ask: 'step', most: STEP })
      if (step === undefined || !(await store.maintain('extendLog', step, environment()))) return false
      if (performance.now() - this.#said > SAY_INTERVAL) {
        this.#said = performance.now()
        logger.info({ record: step.to.size }, 'the public log has come to this record')
      }
      if (step.to.size - step.from.size < STEP) return false
      if (performance.now() > until) return true
    }
    return false
  }

  /**
   * Signs new records and publishes the checkpoint. Writes a checkpoint of another node to the file of this node. Returns false if the stored
   * log is not the published one: the next poll decides what follows.
   */
  async #publish({ kept, published, log }: LogState): Promise<boolean> {
    const { store, environment, now, pem, witnesses } = this.#keeping
    const { signal } = this.#stopped
    const signed = await this.#ask<Signed | undefined>({ ask: 'sign', pem: pem(), time: Math.floor(now() / 1_000) })
    if (signed !== undefined) {
      const note = witnesses === undefined ? signed.note : await witnesses.cosign(signed, signal)
      await store.maintain('publishCheckpoint', { ...signed, note }, environment())
      return true
    }
    if (published === undefined) return log.size === 0
    const { size, note } = published
    if (size > (kept?.size ?? 0)) await this.#ask({ ask: 'keep', note })
    if (witnesses?.due === true) {
      const cosigned = await witnesses.cosign(published, signal)
      if (cosigned !== note) await store.maintain('cosignCheckpoint', { size, note: cosigned }, environment())
    }
    return published.agrees === true && size === log.size
  }

  /** One round. Returns the milliseconds from its beginning to that of the next one. */
  async #round(): Promise<number> {
    const { store, witnesses, interval } = this.#keeping
    const record = store.knownRecord()
    if (record !== undefined && record === this.#signed && witnesses?.due !== true) return interval
    const state = await this.#poll()
    if (state === undefined) return Math.min(interval, RETRY)
    const more = await this.#extend()
    const isPublished = await this.#publish(state)
    this.#signed = more || !isPublished ? undefined : record
    return more ? 0 : interval
  }

  async #followUntilClosed(): Promise<void> {
    const { logger, interval } = this.#keeping
    const { signal } = this.#stopped
    let failing = false
    while (!signal.aborted) {
      const began = performance.now()
      let pause = Math.min(interval, RETRY)
      try {
        pause = await this.#round()
        if (failing) logger.info('the public log follows the store again')
        failing = false
      } catch (error) {
        if (signal.aborted) return
        const expected = isUnavailable(error) || (error instanceof Problem && error.code === 'NOT_READY')
        if (!failing && !expected)
          logger.error({ err: error }, 'the public log cannot follow the store; it is tried again')
        failing = true
        this.#signed = undefined
      }
      const left = Math.max(0, pause - (performance.now() - began))
      await waitUnlessAborted(left, signal)
    }
  }
}

const later = <T extends { size: number }>(one: T | undefined, other: T | undefined): T | undefined =>
  (one?.size ?? 0) >= (other?.size ?? 0) ? (one ?? other) : other

/** The next step for the log of a store. */
type LogContinuity =
  /** The log continues. */
  | 'same'
  /** The log continues once the epoch of the store is settled. */
  | 'settle'
  /** The log ends and another one begins, with the reason. `agreed` names how to find the size up to which both agree. */
  | { begin: string; agreed: 'stored' | 'compared' }

const KEY_CHANGED = 'its key is another one'

/**
 * Decides whether a log continues. A log is not signed again under its origin if any of its records may be lost or changed, if its key
 * changed, or if the last signed checkpoint is unknown. `keys` are the keys of this node for the origin of the epoch.
 */
export function judgeLog(state: LogState, keys: string): LogContinuity {
  const { logEpoch, storeId, kept, published, alone, record, log, storeEpoch, settled } = state
  if (logEpoch === undefined) return { begin: 'it has not begun', agreed: 'stored' }
  if (storeId !== logEpoch.storeId) return ended('the store was restored')
  if (keys !== logEpoch.keys) return ended(KEY_CHANGED)
  if (kept?.agrees === false || published?.agrees === false)
    return { begin: 'the store has other records than were signed', agreed: 'compared' }
  // Nothing is appended until the epoch of the store is settled. Until then, records that the log lacks are lost, not late.
  const reached = storeEpoch === settled ? record : log.size
  if (reached < Math.max(kept?.size ?? 0, published?.size ?? 0)) return ended('the store lost records that were signed')
  if (alone && published !== undefined && (kept?.size ?? 0) < published.size)
    return ended(
      'the file log-head is missing, damaged or older than the store, so the last signed checkpoint is unknown',
    )
  return storeEpoch === settled ? 'same' : 'settle'

  function ended(begin: string): LogContinuity {
    return { begin, agreed: record < log.size ? 'compared' : 'stored' }
  }
}

const SUFFIX_CHARACTERS = 6

/** The origin of a log that begins now: the id of the store, with a random suffix if that origin was used before. */
export function originOf(host: string, { storeId, origins }: LogState, randomHex: string): string {
  const name = `${host}/log/${storeId.slice(0, 8)}`
  return origins.includes(name) ? `${name}-${randomHex.slice(0, SUFFIX_CHARACTERS)}` : name
}
