import type { Client } from '../../client/index.ts'
import { parseServiceUrl } from '../../client/request.ts'
import { ACTOR_TYPES } from '../../contract/vocabulary.ts'
import { isUuid } from '../../memory/values.ts'
import { type Command, type Flag, flag, positional, UsageError } from '../command.ts'
import { didYouMean } from '../words.ts'

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

/** The default service. */
export const DEFAULT_URL = 'http://127.0.0.1:8080'

/** The flags of all commands that use a service. */
export const READ_FLAGS: readonly Flag[] = [
  flag('url URL', 'The service; by default PALIMPSEST_URL, then "url" in config.json.', { byDefault: DEFAULT_URL }),
  flag('data-dir DIR', 'Instead of a service, the store in this directory, also while another process has opened it.'),
  flag('json', 'Print the answer of the API as JSON; lists as one document per line.'),
  flag('no-wait', 'End at once if the service requests a wait, instead of waiting up to a minute.'),
]

/** The flags of all commands that write: the declaration of the actor that the first write creates. */
export const WRITE_FLAGS: readonly Flag[] = [
  ...READ_FLAGS,
  flag('declared-name NAME', 'The declared name of a new actor.'),
  flag('declared-model NAME', 'The declared model of a new actor.'),
  flag('declared-provider NAME', 'The declared provider of a new actor.'),
  flag('actor-type TYPE', 'The declared type of a new actor.', { values: ACTOR_TYPES, byDefault: 'UNKNOWN' }),
]

/** The addresses of `--from`, each once. Throws UsageError if one is no address of a service. */
export function servicesIn(from: string | undefined): string[] {
  const urls = (from?.split(',') ?? []).map(name => parseServiceUrl(name.trim()))
  if (urls.includes(undefined)) throw new UsageError('--from must be http or https addresses, separated by commas.')
  return [...new Set(urls as string[])]
}

export const LIMIT = flag('limit N', 'The maximum number.', { byDefault: '20' })
export const SLUG = positional('SLUG', 'The slug or the id of an entry.')
export const RATIONALE = flag('rationale TEXT', 'The reason, in at most 1000 characters.')
export const REVISION = flag('revision REVISION', 'The revision: its id, its number from 1, or latest.')
/** Continues if a write would repeat existing data. Without it a person is asked, and a script is refused. */
export const ANYWAY = { name: 'anyway' } as const

type Exits = NonNullable<Command['exits']>
export const SERVICE_EXITS: Exits = ['refused', 'noAnswer']
export const ENTRY_EXITS: Exits = ['notFound', ...SERVICE_EXITS]
export const REVISE_EXITS: Exits = ['conflict', ...ENTRY_EXITS]
