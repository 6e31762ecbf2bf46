import { createSharedCounters, publishClosing, publishStop, readCounts } from '../../engine/counters.ts'
import { type IndexNotice, startThread, type Thread, YOUNG_MB } from '../../engine/thread.ts'
import { openSearches, type Searches } from '../../find/searches.ts'
import type { SearchRequest, SearchResult } from '../../memory/searching.ts'
import type { IndexThreadData } from './index-thread.ts'

type NodeSearchOptions = {
  url: string
  /** The path of the file of this node's search index. */
  indexFile: string
  /** Called when the index file cannot be written, and when it can again. */
  onIndex: (notice: IndexNotice) => void
  /** Called when a thread ends unexpectedly. */
  onDeath: (error: Error) => void
}

/** The search of a node: an index in its own file that follows the database, and the threads that search it. */
export class NodeSearch {
  readonly #counters = createSharedCounters()
  readonly #searches: Promise<Searches>
  #follower: Thread | undefined

  /** Starts the threads. Searches wait for them. */
  constructor(options: NodeSearchOptions) {
    this.#searches = this.#start(options)
    this.#searches.catch(options.onDeath)
  }

  async search(request: SearchRequest, position: number | bigint): Promise<SearchResult> {
    return (await this.#searches).search(request, position)
  }

  async near(pairs: readonly number[], limit: number): Promise<number[]> {
    return (await this.#searches).near(pairs, limit)
  }

  async pending(): Promise<number> {
    return (await this.#searches).pending()
  }

  indexLag(): number {
    return readCounts(this.#counters).indexLag
  }

  async close(): Promise<void> {
    publishClosing(this.#counters)
    const searches = await this.#searches.catch(() => undefined)
    await searches?.close()
    publishStop(this.#counters)
    await this.#follower?.close()
  }

  async #start({ url, indexFile, onIndex, onDeath }: NodeSearchOptions): Promise<Searches> {
    const data: IndexThreadData = { url, file: indexFile, counters: this.#counters }
    this.#follower = await startThread(new URL('./index-thread.ts', import.meta.url), data, {
      ...{ pendingMax: 0, batched: false, together: 1, youngMb: YOUNG_MB },
      onDeath,
      onNotice: onIndex,
    })
    return openSearches({ index: indexFile, store: undefined, counters: this.#counters }, onDeath)
  }
}
