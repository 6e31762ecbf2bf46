import type { Config } from '../config.ts'

type Addressed = Pick<Config, 'publicUrl' | 'port'>

/** The address in command lines: PUBLIC_URL, or the address of this machine. The Host field is never used. */
export const curlBase = ({ publicUrl, port }: Addressed): string => publicUrl ?? `http://127.0.0.1:${port}`

/** A command line that calls a write of the API. The values need no quoting, because they are not user input. */
export const curlLine = (config: Addressed, path: string, body: Record<string, unknown>): string =>
  [
    `curl -X POST ${curlBase(config)}${path} \\`,
    '  -H \'content-type: application/json\' -H "x-actor-token: $TOKEN" \\',
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
