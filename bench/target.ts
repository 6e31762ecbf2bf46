import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Loaded, Operation, Situation } from './load/order.ts'

/** Where a target finds its files, and how large its store is. */
export type Place = {
  /** The directory of the stores that outlive a run. */
  work: string
  /** The directory for this run alone. Exists and is empty. */
  scratch: string
  /** The number of entries, at most `most`. */
  entries: number
  /** Words of middling frequency. */
  words: string[]
  /** Reports a step that takes a long time. */
  say(text: string): void
}

/** A store that targets share. `fill` makes it in an empty directory, or rejects with the reason why it cannot. */
export type Store = { name: string; fill(directory: string, place: Place): Promise<void> }

/** Fills a store unless an earlier run did. Resolves with its directory. */
export async function filled(place: Place, { name, fill }: Store): Promise<string> {
  const directory = join(place.work, name, String(place.entries))
  const done = join(directory, 'done')
  if (existsSync(done)) return directory
  place.say(`filling ${name} with ${place.entries} entries`)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  await fill(directory, place)
  writeFileSync(done, '')
  return directory
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
  /** Size of its data on disk before the measurement, in bytes. */
  bytes?: number
}

export type Target = {
  name: string
  operations: readonly Operation[]
  /** Maximum number of entries that it is filled with. It is lower if filling takes long; the results state the number. */
  most: number
  /** Starts it on a filled store. Rejects with the reason if this target cannot be installed. */
  start(place: Place): Promise<Running>
}
