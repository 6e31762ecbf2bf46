import type { Client } from '../../client/index.ts'
import { isUuid } from '../../domain/uuid.ts'
import { UsageError } from '../command.ts'
import { didYouMean } from '../nearest.ts'

/** One of the words of the contract, in either case. */
export function oneOf<T extends string>(name: string, given: string, words: readonly T[]): T {
  const word = words.find(one => one.toLowerCase() === given.toLowerCase())
  if (word !== undefined) return word
  throw new UsageError(`${name} is one of ${words.join(', ')}, not "${given}".${didYouMean(given, words)}`)
}

/** A whole number of a flag from `least` to `most`. */
export function countOf(name: string, given: string, most: number, least = 1): number {
  const value = Number(given)
  if (!/^\d{1,9}$/.test(given) || value < least || value > most) {
    throw new UsageError(`${name} must be a whole number from ${least} to ${most}, not "${given}".`)
  }
  return value
}

/** A sequence of a flag. */
export function sequenceOf(name: string, given: string): string {
  if (!/^\d{1,19}$/.test(given)) {
    throw new UsageError(`${name} must be a sequence number, as "palimpsest watch" shows it, not "${given}".`)
  }
  return given
}

/** The given slug or id of an entry; `name` is the flag or argument. */
export function entryName(given: string, name = 'SLUG'): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,119}$/.test(given)) {
    throw new UsageError(
      `${name} must be the slug or the id of an entry, not "${given}"; "palimpsest search" shows slugs.`,
    )
  }
  return given
}

/** The id of an entry given by slug or id. */
export async function entryIdOf(client: Client, given: string, argument: string): Promise<string> {
  const name = entryName(given, argument)
  return isUuid(name) ? name : (await client.readEntry(name)).id
}

/** A number with its noun. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
