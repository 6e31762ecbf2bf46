import type { Loaded, Operation, Situation } from './load/order.ts'

/** What a target is given: where to keep what outlives a run, where to put what does not, and how much to hold. */
export type Place = {
  /** For what is installed and filled once; there already. */
  kept: string
  /** For packages; not there before something is installed. */
  installed: string
  /** For this run alone; there and empty. */
  scratch: string
  /** Entries to hold; at most `most`. */
  entries: number
  /** Words of middling frequency. */
  words: string[]
  /** Tells what takes long. */
  say(text: string): void
}

export type Running = {
  /** Name and version, and how it differs from the others in what is asked of it. */
  about: string
  /** Processes whose trees are measured. */
  pids: number[]
  /** False where standing still for a while would be taken for a fault. */
  pausable?: boolean
  situation?: Situation
  /** How an operation is measured where no server answers it. */
  measure?(operation: Operation, seconds: number): Promise<Loaded>
  stop(): Promise<void>
  /** Bytes on disk of what it was filled with. */
  bytes?(): number
}

export type Target = {
  name: string
  operations: readonly Operation[]
  /** The most entries that it is filled with: where filling takes long, fewer, and the results say so. */
  most: number
  /** Makes what is kept, once. Rejects with the reason where this target cannot be had. */
  prepare(place: Place): Promise<void>
  start(place: Place): Promise<Running>
}
