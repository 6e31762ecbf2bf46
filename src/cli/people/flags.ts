import { ACTOR_TYPES } from '../../contract/words.ts'
import type { Argument, Command, Flag } from '../command.ts'

/** The service when no other is named. */
export const DEFAULT_URL = 'http://127.0.0.1:8080'

/** The flags of every command that goes to a service. */
export const READ_FLAGS: readonly Flag[] = [
  {
    name: 'url',
    value: 'URL',
    byDefault: DEFAULT_URL,
    description: 'The service; without it PALIMPSEST_URL, else "url" in config.json.',
  },
  { name: 'json', description: 'Print what the API returns, as JSON; of lists one document a line.' },
  { name: 'no-wait', description: 'End at once when the service asks to wait, instead of waiting up to a minute.' },
]

/** The flags of every command that writes: what an actor declares of itself when the first write makes it. */
export const WRITE_FLAGS: readonly Flag[] = [
  ...READ_FLAGS,
  { name: 'declared-name', value: 'NAME', description: 'What a new actor calls itself.' },
  { name: 'declared-model', value: 'NAME', description: 'The model that a new actor says it is.' },
  { name: 'declared-provider', value: 'NAME', description: 'Who a new actor says it comes from.' },
  { name: 'actor-type', value: 'TYPE', values: ACTOR_TYPES, byDefault: 'UNKNOWN', description: 'What a new actor is.' },
]

export const SLUG: Argument = { name: 'SLUG', description: 'The slug or the id of an entry.' }
export const RATIONALE: Flag = { name: 'rationale', value: 'TEXT', description: 'Why, in at most 1000 characters.' }
export const REVISION: Flag = {
  name: 'revision',
  value: 'REVISION',
  description: 'Which revision: its id, its number from 1, or latest.',
}
/** Goes on where a write would repeat what is there; without it a person is asked, and a script refused. */
export const ANYWAY = { name: 'anyway' } as const

type Exits = NonNullable<Command['exits']>
export const SERVICE_EXITS: Exits = ['refused', 'noAnswer']
export const ENTRY_EXITS: Exits = ['notFound', ...SERVICE_EXITS]
export const REVISE_EXITS: Exits = ['conflict', ...ENTRY_EXITS]
