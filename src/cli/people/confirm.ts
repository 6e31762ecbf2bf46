import { createInterface } from 'node:readline'
import { type Invocation, mistake } from '../command.ts'
import type { Session } from './session.ts'

/**
 * Asks on a terminal whether to continue although a write would repeat existing data. Refuses with exit code 1 if the answer is not
 * yes, or if there is no terminal. `--anyway` continues without a question.
 * @param finding the existing data, as a clause
 * @param done the participle of the write, for example "published"
 */
export async function confirmRepeat({ invocation, out }: Session, finding: string, done: string): Promise<void> {
  if (invocation.switches.has('anyway')) return
  if (!isInteractive(invocation)) throw mistake(`${finding}: nothing was ${done}; use --anyway if that is intended.`)
  out.note(`${finding}.`)
  if ((await askOnTerminal(invocation, 'Continue anyway? [y/N] ')) !== true) throw mistake(`Nothing was ${done}.`)
}

/** Asks a question on a terminal. Returns whether the answer is yes; undefined if there is no terminal. */
export async function askOnTerminal(invocation: Invocation, question: string): Promise<boolean | undefined> {
  return isInteractive(invocation) ? isYes(invocation, question) : undefined
}

/** Whether a person can answer. A draft may have used standard input. */
const isInteractive = ({ stdin, stderr, args }: Invocation): boolean =>
  stdin.isTTY === true && stderr.isTTY === true && !args.includes('-')

async function isYes({ stdin, stderr }: Invocation, question: string): Promise<boolean> {
  stderr.write(question)
  const lines = createInterface({ input: stdin, terminal: false })
  for await (const line of lines) {
    lines.close()
    return /^y(?:es)?$/i.test(line.trim())
  }
  return false
}
