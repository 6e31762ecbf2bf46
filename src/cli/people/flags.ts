import type { Argument, Flag } from '../command.ts'

/** Where the service is when nobody says so. */
export const DEFAULT_URL = 'http://127.0.0.1:8080'

/** The flags of every command that goes to a service. */
export const READ_FLAGS: readonly Flag[] = [
  {
    name: 'url',
    value: 'URL',
    byDefault: DEFAULT_URL,
    description: 'Where the service is; else PALIMPSEST_URL, else "url" in config.json.',
  },
  { name: 'json', description: 'Give what the API gives, as JSON; of lists one document a line.' },
  { name: 'no-wait', description: 'End at once where the service asks to wait, rather than wait a minute at most.' },
]

/** The flags of every command that writes: what an actor declares of itself when the first write makes it. */
export const WRITE_FLAGS: readonly Flag[] = [
  ...READ_FLAGS,
  { name: 'declared-name', value: 'NAME', description: 'What a new actor calls itself.' },
  { name: 'declared-model', value: 'NAME', description: 'The model that a new actor says it is.' },
  { name: 'declared-provider', value: 'NAME', description: 'Who a new actor says it comes from.' },
  { name: 'actor-type', value: 'TYPE', byDefault: 'UNKNOWN', description: 'AGENT, HUMAN or UNKNOWN.' },
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
