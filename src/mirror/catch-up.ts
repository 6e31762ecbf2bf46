import { setTimeout as sleep } from 'node:timers/promises'
import type { ExportManifest } from '../contract/resources.ts'
import type { Store, WriteEnvironment } from '../memory/store.ts'
import { OperatorError } from '../operator-error.ts'
import { type Progress, percent } from '../progress.ts'
import { type Checked, checkLines, textsOf, Unplaced } from './check.ts'
import type { KeptResult, Mirrored } from './keep.ts'
import type { MirrorLag } from './lag.ts'
import { OriginalLog, type VerifiedLines } from './original-log.ts'
import { findMirror, type Mirror } from './rows.ts'
import { Mismatch } from './signed-log.ts'
import { hasDigest, NoAnswer, type Source } from './source.ts'

/**
 * In milliseconds: the first and the longest pause between requests for a checkpoint with the newest records (each pause is twice the
 * previous one), the time after which they fail with NoAnswer, and the interval of reads for late cosignatures.
 */
const CHECKPOINT_PAUSE = 50
const CHECKPOINT_PAUSE_MAX = 1_000
const CHECKPOINT_PATIENCE = 60_000
const REFRESH_INTERVAL = 20_000

export type Following = {
  store: Store
  source: Source
  progress: Progress
  signal: AbortSignal
  /** The public log of the server, made at the first use. */
  log?: OriginalLog
  /** The last reported state of the server. The same state is not written again. */
  seen?: string
  /** When the checkpoint was read last, by the clock of this process. */
  refreshedAt?: number
  /** The interval of requests without a change in the stream, in milliseconds; by default two seconds. */
  pollInterval?: number
  /** Notes how far the copy is, if the copy is served at the same time. */
  lag?: MirrorLag
}

/** The result of one look at the server. `waits` is true while the server has records that no checkpoint covers. */
type Caught = { lines: number; waits: boolean; sequence: number }

/** An answer of the export as far as it was verified. */
type Fetched = Checked & VerifiedLines

const ENVIRONMENT: WriteEnvironment = { at: 0, cooldown: 0, dataClass: 'INTERNAL' }

const keep = (store: Store, mirrored: Mirrored): Promise<KeptResult> =>
  store.maintain('keepMirrored', mirrored, { ...ENVIRONMENT, at: Date.now() })

async function stateOf(store: Store): Promise<Mirror> {
  const mirror = await findMirror(store.reader)
  if (mirror === undefined) throw new Error('The store is not a mirror.')
  return mirror
}

/**
 * Updates the copy to the present state of the server and its latest act of moderation. Copies each record once a checkpoint covers it.
 * Stored rows stay, so the update can stop at any time. Returns the number of copied lines.
 */
export async function catchUp(following: Following): Promise<number> {
  const { source, signal } = following
  let lines = 0
  let goal: number | undefined
  const until = performance.now() + CHECKPOINT_PATIENCE
  for (let pause = CHECKPOINT_PAUSE; ; pause = Math.min(CHECKPOINT_PAUSE_MAX, pause * 2)) {
    const caught = await look(following)
    lines += caught.lines
    goal ??= caught.sequence
    if (!caught.waits || (await stateOf(following.store)).next > goal) return lines
    if (performance.now() > until) {
      throw new NoAnswer(
        `${source.url} has had records for ${CHECKPOINT_PATIENCE / 1_000} s that no checkpoint of its public log has; they are stored once one does.`,
      )
    }
    await sleep(pause, undefined, { signal })
  }
}

/** Copies all records of the server that a checkpoint covers, and follows moderation. */
export async function look(following: Following): Promise<Caught> {
  const { store, progress } = following
  const began = performance.now()
  let lines = 0
  let total: number | undefined
  let followed = false
  for (;;) {
    const at = performance.now()
    const state = await stateOf(store)
    const fetched = await fetchedFrom(following, state.next).catch(error => {
      if (!(error instanceof Unplaced) || followed) throw error
    })
    followed = fetched === undefined
    if (fetched === undefined) {
      lines += await followModeration(following)
      continue
    }
    if (fetched.head === null) total ??= await aheadOf(following, state)
    else assertSame(fetched.head, state)
    total = Math.max(total ?? 0, Number(fetched.head?.sequence ?? 0))
    lines += await keepFetched(following, state, fetched)
    following.lag?.progress(fetched.next - 1, total)
    progress.update(() => {
      const rate = Math.round(lines / ((performance.now() - began) / 1_000))
      return `${fetched.next - 1} of ${total} rows, ${percent(fetched.next - 1, total ?? 0)}, ${rate}/s`
    })
    const { cut, waits } = fetched
    const reached = reachedBy(fetched)
    if (reached === null && !cut) continue
    if (reached !== null && Number(reached.change) > state.change) lines += await followModeration(following, reached)
    following.lag?.reached(at)
    if (lines === 0 && !cut) await refresh(following)
    return { lines, waits, sequence: total }
  }
}

async function keepFetched(following: Following, state: Mirror, fetched: Fetched): Promise<number> {
  const { store } = following
  const { lines, next, log } = fetched
  const head = reachedBy(fetched)
  const seen = JSON.stringify([head, log?.note])
  if (lines.length > 0 || next !== state.next || seen !== following.seen) {
    const settled = head !== null && Number(head.change) <= state.change ? { settled: Number(head.sequence) } : {}
    await keep(store, { lines, actors: [], head, next, change: state.change, log, ...settled })
  }
  following.seen = seen
  return lines.filter(({ sequence }) => sequence !== undefined).length
}

/** The state of the server up to the rows that were fetched; null if it has rows after the answer. */
const reachedBy = ({ head, cut, next }: Fetched): Checked['head'] =>
  head !== null && cut ? { ...head, sequence: String(next - 1), record: '0' } : head

const ANOTHER =
  'The server has another store than the one that was copied, or an earlier state of it, as after a restored backup; make a new mirror in an empty directory.'

/** Throws if the server has lost records or has another store, because its numbers then have another meaning. */
function assertSame(head: { storeId: string; sequence: string }, { store_id: storeId, next }: Mirror): void {
  if (head.storeId !== storeId || Number(head.sequence) + 1 < next) throw new OperatorError(ANOTHER)
}

/** The state of a server with more than one answer. Rows of another store are not stored. */
async function aheadOf({ source }: Following, state: Mirror): Promise<number> {
  const manifest = await source.manifest()
  assertSame(manifest, state)
  return Number(manifest.sequence)
}

/** Fetches lines and verifies them. Repeats this once if they contradict the log, because moderation may occur between two reads. */
async function fetchedFrom(following: Following, from: number): Promise<Fetched> {
  try {
    return await fetchedOnce(following, from)
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    return fetchedOnce(following, from)
  }
}

async function fetchedOnce(following: Following, from: number): Promise<Fetched> {
  const { store, source } = following
  following.log ??= new OriginalLog(store.reader, source)
  const { bytes, digest } = await source.segment(from)
  const checked = await checkLines(store.reader, textsOf(bytes), from)
  if (digest !== null && !hasDigest(bytes, digest)) {
    throw new OperatorError(
      `The segment from sequence ${from} does not match its digest, so it was changed in transit; it was not stored.`,
    )
  }
  const verified = await following.log.verify(checked)
  if (verified === undefined) return { ...checked, cut: false, waits: false, log: undefined }
  const { lines, cut } = verified
  const reached = lines.reduce((last, { sequence }) => Number(sequence ?? last), from - 1)
  return { ...verified, head: checked.head, next: cut ? reached + 1 : checked.next }
}

/** Rereads the copied segments that moderation changed, in order. `reached` is the state of the server up to there, if it is known. */
async function followModeration(following: Following, reached: Checked['head'] = null): Promise<number> {
  try {
    return await followOnce(following, reached)
  } catch (error) {
    if (!(error instanceof Unplaced)) throw error
    // An entry was restored after the manifest was read.
    return followOnce(following, reached)
  }
}

async function followOnce(following: Following, reached: Checked['head']): Promise<number> {
  const { store, source } = following
  const state = await stateOf(store)
  const manifest = await source.manifest(state.change)
  let lines = 0
  for await (const fetched of changedSegments(following, manifest, state.next)) {
    // Rows of the newest segment that are not copied yet are copied later.
    const known = fetched.lines.filter(({ sequence }) => Number(sequence) < state.next)
    await keep(store, {
      lines: known,
      actors: [],
      head: null,
      next: state.next,
      change: state.change,
      act: Number(manifest.change),
      log: fetched.log,
    })
    lines += known.length
  }
  const change = Number(manifest.change)
  const settled = reached === null ? {} : { settled: Number(reached.sequence) }
  await keep(store, { lines: [], actors: manifest.actors, head: reached, next: state.next, change, ...settled })
  return lines
}

/** The segments that a manifest names, or all if it names only some. */
async function* changedSegments(
  following: Following,
  { segments, complete }: ExportManifest,
  next: number,
): AsyncGenerator<Fetched> {
  if (!complete) {
    for (let from = 1; from < next; ) {
      const fetched = await fetchedFrom(following, from)
      yield fetched
      if (fetched.next <= from) return
      from = fetched.next
    }
    return
  }
  const begins = segments.map(Number).filter(from => from < next)
  for (const from of begins.sort((a, b) => a - b)) yield await fetchedFrom(following, from)
}

/** Publishes signatures that the original added to its newest checkpoint, and checks whether it shows another history. */
async function refresh(following: Following): Promise<void> {
  const { store, log, refreshedAt = Number.NEGATIVE_INFINITY } = following
  if (performance.now() - refreshedAt < REFRESH_INTERVAL) return
  following.refreshedAt = performance.now()
  const cosigned = await log?.refreshed()
  if (cosigned !== undefined) await store.maintain('cosignCheckpoint', cosigned, { ...ENVIRONMENT, at: Date.now() })
}
