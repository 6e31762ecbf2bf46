import { isClientError } from './problem.ts'
import type { Entry, RevisionInput } from './resources.ts'
import type { CallOptions } from './settings.ts'
import type { Methods } from './table.ts'

/** A revision to send. An omitted title, summary or content keeps its value. */
export type Edit = Pick<RevisionInput, 'changeType' | 'rationale'> &
  Partial<Pick<RevisionInput, 'title' | 'summary' | 'content' | 'sources'>>

/**
 * Makes the edit from the latest state of the entry. `stale` is the state that the previous attempt was based on; undefined at the first
 * attempt. Returns null if there is nothing to change.
 */
export type Merge = (latest: Entry, stale: Entry | undefined) => Edit | null | Promise<Edit | null>

export type ReviseOptions = Omit<CallOptions, 'idempotencyKey'> & {
  /** Maximum number of attempts (10 by default). After the last attempt, the call rejects with STALE_REVISION. */
  attempts?: number
}

/**
 * Reads the latest revision, calls `edit`, and sends the result on top of that revision. Repeats this on STALE_REVISION. Returns the revised
 * entry, or the entry as read if `edit` returned null.
 */
export async function reviseWithRetry(
  methods: Methods,
  slug: string,
  edit: Merge,
  { attempts = 10, ...options }: ReviseOptions = {},
): Promise<Entry> {
  let stale: Entry | undefined
  for (let attempt = 1; ; attempt += 1) {
    const latest = await methods.readEntry(slug, options)
    const made = await edit(latest, stale)
    if (made === null) return latest
    const { title, summary, content } = latest
    const input = { title, summary, content, ...made, previousRevisionId: latest.currentRevisionId }
    try {
      return await methods.reviseEntry(latest.id, input, options)
    } catch (error) {
      if (!isClientError(error) || error.code !== 'STALE_REVISION' || attempt >= attempts) throw error
      stale = latest
    }
  }
}
