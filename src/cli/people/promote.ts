import type { Entry } from '../../client/index.ts'
import { holdsSecret } from '../../memory/actors/rules.ts'
import { argument, mistake, required, UsageError } from '../command.ts'
import { MASKS, masked } from '../hook/mask.ts'
import { entryName, plural } from './flags.ts'
import { styled } from './output.ts'
import { askOnTerminal } from './publish.ts'
import { checkInput, inSession, type Session } from './session.ts'

/** The beginning of the line in the private entry that names its public copy. */
const PROMOTED = 'Promoted to '
const RATIONALE = 'Names the public copy of this entry.'

/**
 * Publishes the current text of an entry of one memory in another one, usually of a private memory at a service. Only this text leaves the
 * memory: no earlier revision, no evidence and no author. Refuses a text with a secret, and masks what names a person or a machine.
 */
export async function promote(session: Session): Promise<void> {
  const { invocation, client, out } = session
  const to = required(invocation, 'to', 'the service that gets the entry').replace(/\/+$/, '')
  if (to === session.baseUrl) throw new UsageError(`${to} has the entry already; --to names another service.`)
  const entry = await client.readEntry(entryName(argument(invocation, 0)))
  const { title, summary, content, tags } = entry
  const earlier = content.split('\n').find(line => line.startsWith(`${PROMOTED}${to}/`))
  if (earlier !== undefined) throw mistake(`The entry was promoted before: "${earlier}"; revise it there.`)
  if ([title, summary, content, ...tags].some(holdsSecret))
    throw mistake('The entry contains an actor token or a private key; remove it with "palimpsest edit" first.')
  const source = `Source: revision ${entry.currentRevisionId} of a private memory.`
  const text = { title: masked(title), summary: masked(summary), content: `${masked(content)}\n\n${source}`, tags }
  showPromoted(session, text, to, countMasks(`${title}\n${summary}\n${content}`))
  if (invocation.switches.has('dry-run')) return
  const input = checkInput(invocation, 'CreateInput', text)
  if (!invocation.switches.has('yes') && (await askOnTerminal(invocation, `Publish this at ${to}? [y/N] `)) !== true) {
    throw mistake(
      'Nothing was published. To change the text first, write it to a file with "palimpsest show SLUG --edit", and publish the file with --url.',
    )
  }
  const flags = { ...invocation.flags, url: to, 'data-dir': undefined }
  // That token belongs to an actor of the private memory.
  const env = { ...invocation.env, PALIMPSEST_TOKEN: undefined }
  await inSession({ ...invocation, flags, env }, async there => {
    await there.becomeActor()
    const published = await there.client.createEntry(input)
    const address = there.addressOf(published.slug)
    if (session.json) out.json(published)
    else {
      out.line('Published ', styled('cyan', published.slug))
      out.line(`  ${address}`)
    }
    await linkTo(session, entry, address)
  })
}

/** Adds a line with the address of the public copy to the private entry. */
async function linkTo(session: Session, { id, currentRevisionId, title, summary, content }: Entry, address: string) {
  await session.becomeActor()
  await session.client.reviseEntry(id, {
    ...{ previousRevisionId: currentRevisionId, title, summary, changeType: 'EXPAND', rationale: RATIONALE },
    content: `${content}\n\n${PROMOTED}${address}`,
  })
}

type Texts = { title: string; summary: string; content: string; tags: string[] }

function showPromoted(
  { out, json }: Session,
  { title, summary, content, tags }: Texts,
  to: string,
  masks: number,
): void {
  if (json) out.json({ title, summary, content, tags })
  else {
    out.line(styled('bold', title), '  ', styled('dim', `for ${to}`))
    out.block(`${summary}\n\n${content}`)
    if (tags.length > 0) out.line(`Tags: ${tags.join(', ')}`)
  }
  if (masks > 0) out.note(`${plural(masks, 'passage')} masked: paths, hosts, addresses or tokens.`)
}

/** The number of passages that a mask changes. */
const countMasks = (text: string): number =>
  MASKS.reduce((count, { pattern }) => count + [...text.matchAll(pattern)].length, 0)
