import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../../contract/limits.ts'
import type { ExportManifest } from '../../contract/resources.ts'
import type { Mirrored } from '../../operations/keep-mirrored.ts'
import type { Store, WriteEnvironment } from '../../operations/store.ts'
import { OperatorError } from '../../operator-error.ts'
import { findMirror, type Mirror } from '../../store/mirror.ts'
import { type Progress, percent } from '../progress.ts'
import { type Checked, checkLines } from './check.ts'
import { hasDigest, NoAnswer, type Source } from './source.ts'

/** How often a server is asked for what is new, in milliseconds: a quarter of what it allows by default. */
const POLL_INTERVAL = 2_000
/** How long a server that does not answer is left alone, in milliseconds. */
const ABSENCE = 30_000

export type Following = {
  store: Store
  source: Source
  progress: Progress
  signal: AbortSignal
  /** What the server said last of how far it is: the same again is not written again. */
  told?: string
}

const ENVIRONMENT: WriteEnvironment = { at: 0, cooldown: 0, dataClass: 'INTERNAL' }

const keep = (store: Store, mirrored: Mirrored): Promise<boolean> =>
  store.keep('keepMirrored', mirrored, { ...ENVIRONMENT, at: Date.now() })

async function stateOf(store: Store): Promise<Mirror> {
  const mirror = await findMirror(store.reader)
  if (mirror === undefined) throw new Error('The store is no mirror.')
  return mirror
}

/**
 * Brings the copy up to the newest row of the server and to its latest act of moderation. What was kept stays kept, so that it can be
 * stopped at any time. Gives how many lines came.
 */
export async function catchUp(following: Following): Promise<number> {
  const { store, source, progress } = following
  const began = performance.now()
  let lines = 0
  let total = Number((await source.manifest()).sequence)
  for (;;) {
    const { next, change } = await stateOf(store)
    const checked = await fetched(following, next)
    total = Math.max(total, Number(checked.head?.sequence ?? 0))
    assertForward(checked, await stateOf(store))
    const told = JSON.stringify(checked.head)
    if (checked.lines.length > 0 || checked.next !== next || told !== following.told) {
      const { lines: kept, head, next: then } = checked
      const settled = head !== null && Number(head.change) <= change ? { settled: Number(head.sequence) } : {}
      await keep(store, { lines: kept, actors: [], head, next: then, change, ...settled })
    }
    following.told = told
    lines += checked.lines.length
    progress.tell(() => {
      const rate = Math.round(lines / ((performance.now() - began) / 1_000))
      return `${checked.next - 1} of ${total} rows, ${percent(checked.next - 1, total)}, ${rate}/s`
    })
    if (checked.head === null) continue
    if (Number(checked.head.change) > change) lines += await followModeration(following, checked.head)
    return lines
  }
}

/** A server that went back, or became another one, is not followed: its numbers mean something else now. */
function assertForward({ head }: Checked, { store_id: storeId, next }: Mirror): void {
  if (head === null) return
  if (head.storeId === storeId && Number(head.sequence) + 1 >= next) return
  throw new OperatorError(
    'The server holds another store than the one that was copied, or went back to an earlier state of it; make a new mirror in an empty directory.',
  )
}

async function fetched({ store, source }: Following, from: number): Promise<Checked> {
  const { bytes, digest } = await source.segment(from)
  const checked = await checkLines(store.reader, bytes, from)
  if (digest !== null && !hasDigest(bytes, digest)) {
    throw new OperatorError(
      `The segment from sequence ${from} on has not the digest that it came with, so that it was changed on its way; nothing of it was kept.`,
    )
  }
  return checked
}

/** Reads again, from the first to the last, the segments that moderation changed, as far as they are copied. */
async function followModeration(following: Following, head: NonNullable<Checked['head']>): Promise<number> {
  const { store, source } = following
  const state = await stateOf(store)
  const manifest = await source.manifest(state.change)
  let lines = 0
  for (const from of segmentsOf(manifest, state.next)) {
    const checked = await fetched(following, from)
    // Rows of the newest segment that are not copied yet come in their turn.
    const known = checked.lines.filter(({ sequence }) => Number(sequence) < state.next)
    await keep(store, { lines: known, actors: [], head: null, next: state.next, change: state.change })
    lines += known.length
  }
  const change = Number(manifest.change)
  const settled = Number(head.sequence)
  await keep(store, { lines: [], actors: manifest.actors, head, next: state.next, change, settled })
  return lines
}

function segmentsOf({ segments, complete }: ExportManifest, next: number): number[] {
  const begins = complete
    ? segments.map(Number)
    : Array.from({ length: Math.ceil(next / LIMITS.exportSegment) }, (_, index) => index * LIMITS.exportSegment + 1)
  return begins.filter(from => from < next).sort((a, b) => a - b)
}

/** Follows a server until the signal, however often it does not answer. */
export async function follow(following: Following): Promise<void> {
  const { signal, progress } = following
  while (!signal.aborted) {
    try {
      const lines = await catchUp(following)
      if (lines > 0) progress.tell(() => `${lines} new rows`)
      await sleep(POLL_INTERVAL, undefined, { signal })
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof NoAnswer)) throw error
      progress.phase(error.message)
      await sleep(ABSENCE, undefined, { signal }).catch(() => {})
    }
  }
}
