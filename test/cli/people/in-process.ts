import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { Surroundings } from '../../../src/cli/command.ts'
import { runIn } from '../../../src/cli/run.ts'
import type { Sink } from '../../../src/progress.ts'
import { atEnd } from '../../support/at-end.ts'
import type { Ended } from '../command.ts'

export type InProcess = {
  env?: Record<string, string>
  input?: string | Uint8Array
  /** How wide the terminal is that the three streams are; without it they are none. */
  terminal?: number
} & Pick<Surroundings, 'clock' | 'signal'> & {
    /** Called with everything that is written to standard output. */
    onOutput?: (text: string) => void
  }

/** The command line in this process, with a temporary directory of its own: for one test file, or for one face. */
export function commandLine() {
  let directory: string | undefined
  const scratch = (): string => {
    directory ??= mkdtempSync(join(tmpdir(), 'palimpsest-people-'))
    return directory
  }
  atEnd(() => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  })
  return {
    scratch,
    // No test may read the configuration of the user who runs it.
    inProcess: (args: readonly string[], { env = {}, ...options }: InProcess = {}): Promise<Ended> =>
      run(args, { ...options, env: { XDG_CONFIG_HOME: join(scratch(), 'config'), ...env } }),
  }
}

/** Runs a command line with streams of its own, without the environment of this process. */
async function run(args: readonly string[], options: InProcess): Promise<Ended> {
  const { env = {}, input = '', terminal, clock, signal, onOutput } = options
  const stdout = sinkOf(terminal, onOutput)
  const stderr = sinkOf(terminal)
  const code = await runIn(
    {
      env,
      stdin: Object.assign(Readable.from([Buffer.from(input)]), { isTTY: terminal !== undefined }),
      stdout: stdout.sink,
      stderr: stderr.sink,
      ...(clock === undefined ? {} : { clock }),
      ...(signal === undefined ? {} : { signal }),
    },
    args,
  )
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() }
}

function sinkOf(columns: number | undefined, onOutput = (_: string) => {}): { sink: Sink; text: () => string } {
  const chunks: Buffer[] = []
  const sink: Sink = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk)
      if (chunk.length > 0) onOutput(chunk.toString())
      done()
    },
  })
  if (columns !== undefined) Object.assign(sink, { isTTY: true, columns })
  return { sink, text: () => Buffer.concat(chunks).toString() }
}
