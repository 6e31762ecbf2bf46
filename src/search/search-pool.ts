import type { SearchRequest, SearchResult } from '../operations/search.ts'
import type { Thread } from '../threads/thread.ts'
import type { Query } from './search-thread.ts'

/** A thread that searches. */
export type SearchThread = Pick<Thread, 'ask' | 'pending' | 'close'>

/** The threads that search. */
export type SearchPool = {
  ask(request: SearchRequest): Promise<SearchResult>
  pending(): number
  close(): Promise<void>
}

/**
 * Starts one search thread, and further ones, up to `most`, when all are busy. A failed start of a further thread is ignored here; `start`
 * reports it.
 */
export async function startSearchPool(start: () => Promise<SearchThread>, most: number): Promise<SearchPool> {
  const first = await start()
  const threads = [first]
  let starting = Promise.resolve()
  let asked = 1
  const startAnother = (): void => {
    asked++
    starting = start().then(
      thread => void threads.push(thread),
      () => {},
    )
  }
  return {
    async ask(request) {
      const idlest = threads.reduce((best, thread) => (thread.pending() < best.pending() ? thread : best), first)
      if (idlest.pending() > 0 && asked === threads.length && asked < most) startAnother()
      return (await idlest.ask(id => ({ id, request }) satisfies Query)) as SearchResult
    },
    pending: () => threads.reduce((sum, thread) => sum + thread.pending(), 0),
    async close() {
      asked = most
      await starting
      for (const thread of threads) await thread.close()
    },
  }
}
