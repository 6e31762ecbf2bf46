import type { Client, Entry, Revision } from '../../client/index.ts'
import { isUuid } from '../../domain/uuid.ts'
import { CommandError, EXIT, UsageError } from '../command.ts'

/** One of the words of the contract, in either case. */
export function oneOf<T extends string>(name: string, given: string, words: readonly T[]): T {
  const word = words.find(one => one.toLowerCase() === given.toLowerCase())
  if (word === undefined) throw new UsageError(`${name} is one of ${words.join(', ')}, not "${given}".`)
  return word
}

/** A whole number of a flag from 1 to `most`. */
export function countOf(name: string, given: string, most: number): number {
  const value = Number(given)
  if (!/^\d{1,9}$/.test(given) || value < 1 || value > most) {
    throw new UsageError(`${name} must be a whole number from 1 to ${most}, not "${given}".`)
  }
  return value
}

/** The slug or id of an entry, as it was given. */
export function entryName(given: string | undefined): string {
  if (given === undefined || !/^[A-Za-z0-9][A-Za-z0-9-]{0,119}$/.test(given)) {
    throw new UsageError(`"${given ?? ''}" is no slug and no id of an entry; "palimpsest search" shows slugs.`)
  }
  return given
}

/** The id of an entry that is given by slug or id. */
export async function entryIdOf(client: Client, given: string): Promise<string> {
  const name = entryName(given)
  return isUuid(name) ? name : (await client.readEntry(name)).id
}

const FIRST_NUMBER = /^[1-9]\d{0,8}$/

/** The revision of an entry that is named by its id, by its number from 1, or as `latest`. */
export async function revisionOf(client: Client, entry: Entry, given: string): Promise<Revision> {
  if (given === 'latest') return client.readRevision(entry.id, entry.currentRevisionId)
  if (isUuid(given)) return client.readRevision(entry.id, given)
  if (!FIRST_NUMBER.test(given)) {
    throw new UsageError(`"${given}" names no revision; give its id, its number from 1, or latest.`)
  }
  for (let known = entry; ; ) {
    if (Number(given) > known.revisionCount) {
      throw new CommandError(
        `The entry has ${known.revisionCount} revisions, and none with number ${given}.`,
        EXIT.notFound,
      )
    }
    const before = String(known.revisionCount - Number(given))
    const { items } = await client.listRevisions(entry.id, { limit: 1, before })
    // Numbers count from the first and the list from the newest: they agree while nothing was added.
    const after = await client.readEntry(entry.id)
    if (after.revisionCount === known.revisionCount && items[0] !== undefined) return items[0]
    known = after
  }
}
