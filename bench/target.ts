import type { Loaded, Operation, Situation } from './load/order.ts'

/** The directories of a target, and the number of its entries. */
export type Place = {
  /** For data that outlives a run; exists. */
  kept: string
  /** For packages; created by the first installation. */
  installed: string
  /** For this run alone; exists and is empty. */
  scratch: string
  /** The number of entries, at most `most`. */
  entries: number
  /** Words of middling frequency. */
  words: string[]
  /** Reports a step that takes long. */
  say(text: string): void
}

export type Running = {
  /** Name and version, and how its requests differ from those to the others. */
  about: string
  /** Processes whose trees are measured. */
  pids: number[]
  /** False where a suspension would be taken for a fault. */
  pausable?: boolean
  situation?: Situation
  /** How an operation is measured where no server answers it. */
  measure?(operation: Operation, seconds: number): Promise<Loaded>
  stop(): Promise<void>
  /** Bytes on disk of its data. */
  bytes?(): number
}

export type Target = {
  name: string
  operations: readonly Operation[]
  /** The most entries that it is filled with: where filling takes long, fewer, and the results say so. */
  most: number
  /** Fills the kept directory, once. Rejects with the reason if this target cannot be installed. */
  prepare(place: Place): Promise<void>
  start(place: Place): Promise<Running>
}
