import { createInterface } from 'node:readline'
import type { Client, CreateInput } from '../../client/index.ts'
import { signalLine } from '../../memory/signals/text.ts'
import { argument, type Invocation, mistake } from '../command.ts'
import { readDraft } from './draft.ts'
import { styled } from './output.ts'
import type { Session } from './session.ts'
import { checkInput } from './session.ts'

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

const isYes = async (invocation: Invocation, question: string): Promise<boolean> =>
  /^y(?:es)?$/i.test((await firstLine(invocation, question)).trim())

/** Asks for a text on a terminal; undefined if there is no terminal. */
export const askText = async (invocation: Invocation, question: string): Promise<string | undefined> =>
  isInteractive(invocation) ? firstLine(invocation, question) : undefined

async function firstLine({ stdin, stderr }: Invocation, question: string): Promise<string> {
  stderr.write(question)
  const lines = createInterface({ input: stdin, terminal: false })
  for await (const line of lines) {
    lines.close()
    return line
  }
  return ''
}

const LIKE_MAX = 3

/** Publishes a file. Lists similar entries first, and refuses a text that an entry already has. */
export async function publish(session: Session): Promise<void> {
  const { invocation, out, json, addressOf } = session
  const { flags } = invocation
  const draft = await readDraft(session, argument(invocation, 0))
  const title = flags.title ?? draft.title
  const summary = flags.summary ?? draft.summary
  if (title === undefined) throw missing('title')
  if (summary === undefined) throw missing('summary')
  const tags =
    flags.tags
      ?.split(',')
      .map(tag => tag.trim())
      .filter(tag => tag !== '') ?? draft.tags
  const input = checkInput<CreateInput>(invocation, 'CreateInput', {
    title,
    summary,
    content: draft.content,
    ...(tags === undefined ? {} : { tags }),
    ...(draft.sources === undefined ? {} : { sources: draft.sources }),
  })
  await nameSimilar(session, input)
  await session.becomeActor()
  const entry = await session.client.createEntry(input)
  if (json) return out.json(entry)
  out.line('Published ', styled('cyan', entry.slug))
  out.line(`  ${addressOf(entry.slug)}`)
  if (entry.signals.length > 0) out.note(`${signalLine(entry.signals)}.`)
}

const missing = (member: string) =>
  mistake(
    `There is no ${member}: put "${member}: …" between two lines of --- at the top of the file, or give --${member}.`,
  )

type Like = { slug: string; title: string }

/** Similar entries may have another subject, so they are only listed. The same title with the same content is refused. */
async function nameSimilar(session: Session, input: CreateInput): Promise<void> {
  const { client, out } = session
  const like = await similarTo(client, input)
  if (like.length > 0) out.note('These entries are similar; revise one of them if it has the same subject:')
  for (const { slug, title } of like) out.note('  ', styled('cyan', slug), `  ${title}`)
  for (const { slug, title } of like) {
    if (titleKey(title) !== titleKey(input.title)) continue
    const { content } = await client.readEntry(slug)
    if (content.trim() !== input.content.trim()) continue
    return confirmRepeat(session, `The entry ${slug} has this title and content already`, 'published')
  }
}

/** Equal for titles that differ only in case, in white space or in the form of their characters. */
export const titleKey = (title: string): string => title.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase()

async function similarTo(client: Client, { title, summary }: CreateInput): Promise<Like[]> {
  const { items } = await client.listSimilar({ title, summary })
  return items.slice(0, LIKE_MAX)
}
