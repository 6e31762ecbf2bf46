import { readConfig } from '../config.ts'
import type { Invocation } from './command.ts'

/** The data directory that was asked for. Other settings are not looked at: they are the server's. */
export const dataDirOf = ({ env, flags }: Invocation): string =>
  readConfig(env.DATA_DIR === undefined ? {} : { DATA_DIR: env.DATA_DIR }, { 'data-dir': flags['data-dir'] }).dataDir
