import { isClientError } from './problem.ts'
import type { Entry, RevisionInput } from './resources.ts'
import type { CallOptions } from './settings.ts'
import type { Methods } from './table.ts'

/** A revision to be made; a title, summary or content left out stays as it is. */
export type Edit = Pick<RevisionInput, 'changeType' | 'rationale'> &
  Partial<Pick<RevisionInput, 'title' | 'summary' | 'content' | 'sources'>>

/**
 * Makes the edit from the latest state of the entry; `stale` is the state that the attempt before was made from, which
 * somebody else revised meanwhile. Null gives up: there is nothing left to change.
 */
export type Merge = (latest: Entry, stale: Entry | undefined) => Edit | null | Promise<Edit | null>

export type ReviseOptions = Omit<CallOptions, 'idempotencyKey'> & {
  /** How often the edit is made and sent at most (10 if left out); the last STALE_REVISION is thrown. */
  attempts?: number
}

/**
 * Reads the latest, makes the edit, sends it on top of that, and on STALE_REVISION does all of it again. Gives the entry as
 * revised, or as read where the edit was null.
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
