import { Problem } from '../../contract/problem.ts'
import { indexFileOf, reportDamage, type SharedCounters } from '../../engine/counters.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import { isDamageOfIndex } from './file.ts'

/** Seconds after which a search is worth another try while the index is rebuilt. */
const REBUILD_RETRY = 5

/** The index file of a process, for reading. After the index thread has replaced a damaged file, opens the new one. */
export class IndexReader {
  readonly #counters: SharedCounters
  readonly #open: () => SqliteConnection
  #index: SqliteConnection | undefined
  /** The number of the open file. */
  #file = -1n

  constructor(counters: SharedCounters, open: () => SqliteConnection) {
    this.#counters = counters
    this.#open = open
  }

  /** Reads from the index. Reports a damaged file to the index thread. Throws NOT_READY then, and while the file is replaced. */
  read<T>(look: (index: SqliteConnection) => T): T {
    const file = indexFileOf(this.#counters)
    if (file % 2n === 1n) throw rebuilt()
    try {
      if (file !== this.#file) this.close()
      this.#index ??= this.#open()
      this.#file = file
      return look(this.#index)
    } catch (error) {
      if (!isDamageOfIndex(error)) throw error
      reportDamage(this.#counters, file)
      throw rebuilt()
    }
  }

  close(): void {
    this.#index?.close()
    this.#index = undefined
  }
}

const rebuilt = (): Problem =>
  new Problem('NOT_READY', { retryAfter: REBUILD_RETRY, reason: 'the search index was damaged and is rebuilt' })
