import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { after } from 'node:test'
import type { Sink, Surroundings } from '../../../src/cli/command.ts'
import { runIn } from '../../../src/cli/run.ts'
import type { Ended } from '../command.ts'

export type InProcess = {
  env?: Record<string, string>
  input?: string | Uint8Array
  /** How wide the terminal is that the three streams are; without it they are none. */
  terminal?: number
} & Pick<Surroundings, 'clock' | 'signal'> & {
    /** Told of everything that is written to standard output, when it is. */
    onOutput?: (text: string) => void
  }

/** Runs a command line in this process with streams of its own, and with nothing of this process's environment. */
export async function inProcess(args: readonly string[], options: InProcess = {}): Promise<Ended> {
  const { env = {}, input = '', terminal, clock, signal, onOutput } = options
  const stdout = sinkOf(terminal, onOutput)
  const stderr = sinkOf(terminal)
  const code = await runIn(
    {
      // No test may look into the configuration of whoever runs it.
      env: { XDG_CONFIG_HOME: join(scratch(), 'config'), ...env },
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

let directory: string | undefined
/** A directory of this test file, removed at its end. */
export function scratch(): string {
  directory ??= mkdtempSync(join(tmpdir(), 'palimpsest-people-'))
  return directory
}
after(() => {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
})
