import { httpUrl, readConfig } from '../config.ts'
import type { Invocation } from './command.ts'

/** HOST and PORT of a command line. No other setting is read, because the caller may lack the right to read the secrets of the server. */
export function addressOf({ env, flags }: Pick<Invocation, 'env' | 'flags'>): Address {
  const named = Object.fromEntries(
    ['HOST', 'PORT'].flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])),
  )
  return readConfig(named, { host: flags.host, port: flags.port })
}

/** A client cannot connect to an unspecified listening address. It is replaced by the loopback address of the same family. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

type Address = { host: string; port: number }

/** The address at which this machine can ask a service whether it is ready. */
export const readinessUrl = (address: Address): string => `${baseOf(address)}/ready`

/** The address of the service on this machine. */
export const baseOf = ({ host, port }: Address): string => httpUrl(LOOPBACK[host] ?? host, port)
