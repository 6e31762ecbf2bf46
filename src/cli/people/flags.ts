import { ACTOR_TYPES } from '../../contract/vocabulary.ts'
import type { Argument, Command, Flag } from '../command.ts'

/** The default service. */
export const DEFAULT_URL = 'http://127.0.0.1:8080'

/** The flags of all commands that use a service. */
export const READ_FLAGS: readonly Flag[] = [
  {
    name: 'url',
    value: 'URL',
    byDefault: DEFAULT_URL,
    description: 'The service; by default PALIMPSEST_URL, then "url" in config.json.',
  },
  { name: 'json', description: 'Print the answer of the API as JSON; lists as one document per line.' },
  { name: 'no-wait', description: 'End at once if the service requests a wait, instead of waiting up to a minute.' },
]

/** The flags of all commands that write: the declaration of the actor that the first write creates. */
export const WRITE_FLAGS: readonly Flag[] = [
  ...READ_FLAGS,
  { name: 'declared-name', value: 'NAME', description: 'The declared name of a new actor.' },
  { name: 'declared-model', value: 'NAME', description: 'The declared model of a new actor.' },
  { name: 'declared-provider', value: 'NAME', description: 'The declared provider of a new actor.' },
  {
    name: 'actor-type',
    value: 'TYPE',
    values: ACTOR_TYPES,
    byDefault: 'UNKNOWN',
    description: 'The declared type of a new actor.',
  },
]

export const SLUG: Argument = { name: 'SLUG', description: 'The slug or the id of an entry.' }
export const RATIONALE: Flag = {
  name: 'rationale',
  value: 'TEXT',
  description: 'The reason, in at most 1000 characters.',
}
export const REVISION: Flag = {
  name: 'revision',
  value: 'REVISION',
  description: 'The revision: its id, its number from 1, or latest.',
}
/** Continues if a write would repeat existing data. Without it a person is asked, and a script is refused. */
export const ANYWAY = { name: 'anyway' } as const

type Exits = NonNullable<Command['exits']>
export const SERVICE_EXITS: Exits = ['refused', 'noAnswer']
export const ENTRY_EXITS: Exits = ['notFound', ...SERVICE_EXITS]
export const REVISE_EXITS: Exits = ['conflict', ...ENTRY_EXITS]
