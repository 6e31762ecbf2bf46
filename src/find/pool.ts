import type { Thread } from '../engine/thread.ts'
import type { SearchRequest, SearchResult } from '../memory/searching.ts'
import { resultOf, type SearchReply } from './query/query.ts'

/** A thread that searches. */
export type SearchThread = Pick<Thread, 'ask' | 'pending' | 'close'>

/** The threads that search. The first search starts one, and a search that finds all of them busy starts another, up to a maximum. */
export class SearchPool {
  readonly #threads: SearchThread[] = []
  readonly #start: () => Promise<SearchThread>
  readonly #most: number
  #first: Promise<SearchThread> | undefined
  /** Threads that were started or are being started. */
  #started = 0
  #starting: Promise<unknown> = Promise.resolve()
  /** Searches that wait for the first thread. */
  #waiting = 0

  /** `start` must itself report a thread that does not start. */
  constructor(start: () => Promise<SearchThread>, most: number) {
    this.#start = start
    this.#most = most
  }

  async ask(request: SearchRequest): Promise<SearchResult> {
    const [one = await this.#firstThread(), ...others] = this.#threads
    const idlest = others.reduce((best, thread) => (thread.pending() < best.pending() ? thread : best), one)
    if (idlest.pending() > 0 && this.#started === this.#threads.length && this.#started < this.#most) {
      // If no further thread starts, the others continue to search.
      this.#startOne().catch(() => {})
    }
    return resultOf((await idlest.ask({ request })) as SearchReply)
  }

  pending(): number {
    return this.#threads.reduce((sum, thread) => sum + thread.pending(), this.#waiting)
  }

  async close(): Promise<void> {
    this.#started = this.#most
    await this.#starting
    for (const thread of this.#threads) await thread.close()
  }

  async #firstThread(): Promise<SearchThread> {
    if (this.#first === undefined && this.#started === this.#most) throw new Error('The search threads are closed.')
    this.#first ??= this.#startOne()
    this.#waiting++
    try {
      return await this.#first
    } finally {
      this.#waiting--
    }
  }

  #startOne(): Promise<SearchThread> {
    this.#started++
    const thread = this.#start().then(started => {
      this.#threads.push(started)
      return started
    })
    this.#starting = thread.catch(() => {})
    return thread
  }
}
