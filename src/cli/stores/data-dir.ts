import { readConfig } from '../../config.ts'
import { OperatorError } from '../../operator-error.ts'
import type { Invocation } from '../command.ts'

/** The requested data directory. Other settings, which are for the server, are not read. */
export const dataDirOf = ({ env, flags }: Invocation): string =>
  readConfig(env.DATA_DIR === undefined ? {} : { DATA_DIR: env.DATA_DIR }, { 'data-dir': flags['data-dir'] }).dataDir

/** Throws OperatorError if the settings name PostgreSQL: `command` works on a data directory, and `instead` is the remedy. */
export function assertEmbedded(invocation: Invocation, command: string, instead: string): void {
  if (databaseUrlOf(invocation) === undefined) return
  throw new OperatorError(`"palimpsest ${command}" works on a data directory, and DATABASE_URL is set: ${instead}.`)
}

const DATABASE_SETTINGS = ['DATABASE_URL', 'DATABASE_READ_URL'].flatMap(name => [name, `${name}_FILE`])

const databasesOf = ({ env }: Invocation) =>
  readConfig(
    Object.fromEntries(DATABASE_SETTINGS.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))),
  )

/** The database of the settings, if there is one. */
export const databaseUrlOf = (invocation: Invocation): string | undefined => databasesOf(invocation).databaseUrl

/** The standby of the settings, if there is one. */
export const readUrlsOf = (invocation: Invocation): readonly string[] => databasesOf(invocation).databaseReadUrls ?? []
