import type { Client, Entry, Revision } from '../../client/index.ts'
import { isUuid } from '../../domain/uuid.ts'
import { CommandError, EXIT, UsageError } from '../command.ts'
import { plural } from './values.ts'

/** The maximum number of newest revisions in which numbers are looked up. */
const LOOKED_AT = 50
const FIRST_NUMBER = /^[1-9]\d{0,8}$/

/** A revision and its number from 1, if it is known. */
export type Numbered = { revision: Revision; number: number | undefined }

/** A revision as text in a sentence. */
export const revisionName = (id: string, number: number | undefined): string =>
  number === undefined ? `revision ${id}` : `revision ${number}`

/** The numbers of the newest revisions of an entry by their ids, as of the read of the entry. */
export async function revisionNumbers(client: Client, entry: Entry): Promise<ReadonlyMap<string, number>> {
  const { items } = await client.listRevisions(entry.id, { limit: LOOKED_AT })
  const latest = items.findIndex(({ id }) => id === entry.currentRevisionId)
  if (latest < 0) return new Map([[entry.currentRevisionId, entry.revisionCount]])
  return new Map(items.map(({ id }, index) => [id, entry.revisionCount + latest - index]))
}

/** The revision of an entry named by its id, by its number from 1, or as `latest`; `name` is the flag or argument. */
export async function revisionOf(client: Client, entry: Entry, given: string, name: string): Promise<Numbered> {
  if (given === 'latest') {
    return { revision: await client.readRevision(entry.id, entry.currentRevisionId), number: entry.revisionCount }
  }
  if (isUuid(given)) {
    const revision = await client.readRevision(entry.id, given)
    if (given === entry.currentRevisionId) return { revision, number: entry.revisionCount }
    return { revision, number: (await revisionNumbers(client, entry)).get(given) }
  }
  if (!FIRST_NUMBER.test(given)) {
    throw new UsageError(`${name} must be the id of a revision, its number from 1, or latest, not "${given}".`)
  }
  return { revision: await revisionAt(client, entry, Number(given)), number: Number(given) }
}

async function revisionAt(client: Client, entry: Entry, number: number): Promise<Revision> {
  for (let known = entry; ; ) {
    if (number > known.revisionCount) {
      const count = plural(known.revisionCount, 'revision')
      throw new CommandError(`${entry.slug} has ${count}, and none with number ${number}.`, EXIT.notFound)
    }
    const { items } = await client.listRevisions(entry.id, { limit: 1, before: String(known.revisionCount - number) })
    // Numbers count from the oldest revision, and the list from the newest. They agree only if no revision was added between the reads.
    const after = await client.readEntry(entry.id)
    if (after.revisionCount === known.revisionCount && items[0] !== undefined) return items[0]
    known = after
  }
}
