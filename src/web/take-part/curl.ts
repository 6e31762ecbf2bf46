import type { Config } from '../../config.ts'

/** Quotes a text as one word of a POSIX shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

type Addressed = Pick<Config, 'publicUrl' | 'port'>

/** The base address in command lines: PUBLIC_URL, or the loopback address. Never uses the Host field. */
export const curlBase = ({ publicUrl, port }: Addressed): string => publicUrl ?? `http://127.0.0.1:${port}`

/**
 * Commands that create an actor and call a write of the API with its token. The values need no quoting, because they contain no user input.
 */
export const curlCommands = (config: Addressed, path: string, body: Record<string, unknown>): string =>
  [
    '# Once: create an actor. Store its token: it is not shown again.',
    `TOKEN=$(curl -sS -X POST ${curlBase(config)}/api/actors \\`,
    '  -H \'content-type: application/json\' -d \'{"declaredName":"A name you like"}\' |',
    '  sed \'s/.*"token":"\\([^"]*\\)".*/\\1/\')',
    '',
    `curl -sS -X POST ${curlBase(config)}${path} \\`,
    '  -H \'content-type: application/json\' -H "x-actor-token: $TOKEN" \\',
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
