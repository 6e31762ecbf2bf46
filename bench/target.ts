import type { Loaded, Operation, Situation } from './load/order.ts'

/** The directories of a target, and the number of its entries. */
export type Place = {
  /** The directory for data that outlives a run. Exists. */
  kept: string
  /** The directory for packages. Created by the first installation. */
  installed: string
  /** The directory for this run alone. Exists and is empty. */
  scratch: string
  /** The number of entries, at most `most`. */
  entries: number
  /** Words of middling frequency. */
  words: string[]
  /** Reports a step that takes a long time. */
  say(text: string): void
}

export type Running = {
  /** Name and version, and how the requests differ from those to other targets. */
  about: string
  /** Processes that are measured together with their descendants. */
  pids: number[]
  /** False if the target would treat a suspension as a fault. */
  pausable?: boolean
  situation?: Situation
  /** Measures an operation that no server answers. */
  measure?(operation: Operation, seconds: number): Promise<Loaded>
  /** Waits until what follows the measured requests is done. It counts as their processor time, and delays no later operation. */
  settle?(): Promise<void>
  stop(): Promise<void>
  /** Size of its data on disk, in bytes. */
  bytes?(): number
}

export type Target = {
  name: string
  operations: readonly Operation[]
  /** Maximum number of entries that it is filled with. It is lower if filling takes long; the results state the number. */
  most: number
  /** Fills the kept directory, once. Rejects with the reason if this target cannot be installed. */
  prepare(place: Place): Promise<void>
  start(place: Place): Promise<Running>
}
