import { createInterface } from 'node:readline'
import { type Invocation, mistake } from '../command.ts'
import type { Session } from './session.ts'

/**
 * Asks on a terminal whether to go on although a write would repeat what is there. Refuses with exit code 1 where the answer
 * is not yes, and where no person can be asked; `--anyway` goes on without a question.
 * @param finding what is there already, as a clause
 * @param done what is not done then, as "published"
 */
export async function confirmRepeat({ invocation, out }: Session, finding: string, done: string): Promise<void> {
  if (invocation.switches.has('anyway')) return
  if (!isInteractive(invocation)) throw mistake(`${finding}: nothing was ${done}; give --anyway if that is intended.`)
  out.note(`${finding}.`)
  if (!(await isYes(invocation, 'Go on anyway? [y/N] '))) throw mistake(`Nothing was ${done}.`)
}

/** Whether a person can be asked: a draft may have taken standard input. */
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
