import type { Config } from '../config.ts'

type Addressed = Pick<Config, 'publicUrl' | 'port'>

/** The address that pages show in command lines: the public one, or that of this machine. The Host field is never trusted. */
export const curlBase = ({ publicUrl, port }: Addressed): string => publicUrl ?? `http://127.0.0.1:${port}`

/** A command line that makes a call of the API which writes. The values are ours: no quoting is needed. */
export const curlLine = (config: Addressed, path: string, body: Record<string, unknown>): string =>
  [
    `curl -X POST ${curlBase(config)}${path} \\`,
    '  -H \'content-type: application/json\' -H "x-actor-token: $TOKEN" \\',
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
