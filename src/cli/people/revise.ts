import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Edit, type Entry, isClientError, type Revision, type RevisionInput } from '../../client/index.ts'
import { CHANGE_TYPES } from '../../contract/vocabulary.ts'
import { argument, CommandError, EXIT, type Invocation, mistake } from '../command.ts'
import { textOf, unifiedLines, writeUnified } from './diff.ts'
import { type Draft, formatDraft, mergeDrafts, parseDraft, readDraft } from './draft.ts'
import { entryName, oneOf, plural } from './flags.ts'
import { styled } from './output.ts'
import { confirmRepeat } from './publish.ts'
import { revisionNumbers, revisionOf } from './revisions.ts'
import type { Session } from './session.ts'
import { checkInput } from './session.ts'

/** Commits a file on top of its base revision. */
export async function revise(session: Session): Promise<void> {
  const { invocation, client, out, json } = session
  const [slug, file] = [argument(invocation, 0), argument(invocation, 1)]
  const draft = await readDraft(session, file)
  const entry = await client.readEntry(entryName(slug))
  await commitDraft(session, entry, draft, {
    name: file === '-' ? 'Standard input' : file,
    merge: invocation.switches.has('merge'),
    unmerged(both) {
      if (json) out.json(both)
      else out.whole(formatDraft(both))
      return 'both versions are on standard output, between markers; save them as a file, resolve the conflict, and revise with it'
    },
  })
}

/** The source of a draft. */
type DraftSource = {
  /** Its name for sentences. */
  name: string
  /** Whether to merge if another revision was committed first. */
  merge: boolean
  /** Writes both versions, between markers; returns the remedy as a clause. */
  unmerged(both: Draft): string
}

/** Commits a draft of an entry and prints the new revision. */
async function commitDraft(session: Session, entry: Entry, draft: Draft, source: DraftSource): Promise<void> {
  const { out, json, addressOf } = session
  const { base, mine, input } = await inputOf(session, entry, draft)
  if (isSame(textOf(base), mine)) {
    await confirmRepeat(session, `${source.name} has the same texts as its base revision`, 'committed')
  }
  await session.becomeActor()
  const revised = source.merge
    ? await commitMerged(session, entry, { input, mine, source })
    : await commit(session, entry, input, mine)
  if (json) return out.json(revised)
  out.line('Revised ', styled('cyan', revised.slug), `, now revision ${revised.revisionCount}`)
  out.line(`  ${addressOf(revised.slug)}`)
}

type DraftedRevision = { base: Revision; mine: Draft; input: RevisionInput }

/** The body of the revision. Members that the file omits are those of the base revision. */
async function inputOf({ invocation, client }: Session, entry: Entry, draft: Draft): Promise<DraftedRevision> {
  const { flags } = invocation
  const named = flags.previous ?? draft.previousRevisionId
  const changeType = flags['change-type'] ?? draft.changeType ?? ''
  const rationale = flags.rationale ?? draft.rationale ?? ''
  if (named === undefined) {
    throw mistake(
      'The file does not name its base revision; begin with "palimpsest show SLUG --edit", or use --previous.',
    )
  }
  if (changeType === '') throw mistake(`changeType is missing; use --change-type, ${CHANGE_TYPES.join(', ')}.`)
  if (rationale === '') throw mistake('The rationale is missing; describe the change and its reason with --rationale.')
  const { revision: base } = await revisionOf(
    client,
    entry,
    named,
    flags.previous === undefined ? 'previousRevisionId' : '--previous',
  )
  const mine = { ...textOf(base), ...draft, previousRevisionId: base.id, rationale, changeType }
  const { title, summary, content, sources } = mine
  const input = checkInput<RevisionInput>(invocation, 'RevisionInput', {
    previousRevisionId: base.id,
    title: title ?? base.title,
    summary: summary ?? base.summary,
    content,
    changeType: oneOf(flags['change-type'] === undefined ? 'changeType' : '--change-type', changeType, CHANGE_TYPES),
    rationale,
    ...(sources === undefined ? {} : { sources }),
  })
  return { base, mine, input }
}

/** Sends the revision once. If another revision was committed first, shows its changes and the remedy. */
async function commit(session: Session, entry: Entry, input: RevisionInput, mine: Draft): Promise<Entry> {
  try {
    return await session.client.reviseEntry(entry.id, input)
  } catch (error) {
    if (!isClientError(error) || error.code !== 'STALE_REVISION') throw error
    const { base, latest, from, to } = await sidesOf(session, entry.id, input.previousRevisionId)
    const { out } = session
    out.note(styled('bold', `The changes in between, from revision ${from} to ${to}:`))
    writeUnified((...spans) => out.note(...spans), unifiedLines(textOf(base), textOf(latest)))
    const { open } = mergeDrafts(textOf(base), textOf(latest), mine)
    const both =
      open === 0 ? 'Your changes do not overlap with it' : `Both changed the same words in ${plural(open, 'place')}`
    throw new CommandError(
      `STALE_REVISION: another writer revised ${entry.slug} first; nothing was overwritten. ${both}: run it again with --merge. (request ${error.requestId})`,
      EXIT.conflict,
    )
  }
}

type Sides = { base: Revision; latest: Revision; from: number | string; to: number | string }

async function sidesOf({ client }: Session, entryId: string, previousRevisionId: string): Promise<Sides> {
  const entry = await client.readEntry(entryId)
  const { currentRevisionId } = entry
  const [base, latest, numbers] = await Promise.all([
    client.readRevision(entryId, previousRevisionId),
    client.readRevision(entryId, currentRevisionId),
    revisionNumbers(client, entry),
  ])
  const numberOf = (id: string): number | string => numbers.get(id) ?? id
  return { base, latest, from: numberOf(previousRevisionId), to: numberOf(currentRevisionId) }
}

type Merging = { input: RevisionInput; mine: Draft; source: DraftSource }

/** Commits the revision on top of the latest one, merged with the changes in between. Repeats while other revisions are committed first. */
function commitMerged(session: Session, { id }: Entry, { input, mine, source }: Merging): Promise<Entry> {
  const { client } = session
  return client.reviseWithRetry(id, async ({ currentRevisionId }): Promise<Edit> => {
    const { changeType, rationale } = input
    const base = await client.readRevision(id, input.previousRevisionId)
    // Only the revision has its sources.
    const latest = await client.readRevision(id, currentRevisionId)
    const { draft, open } = mergeDrafts(textOf(base), textOf(latest), mine)
    if (open > 0) {
      const remedy = source.unmerged({ ...draft, previousRevisionId: latest.id })
      throw new CommandError(
        `You and another writer changed the same words in ${plural(open, 'place')}: ${remedy}.`,
        EXIT.conflict,
      )
    }
    if (isSame(textOf(latest), draft)) {
      await confirmRepeat(session, 'Others made the same changes already', 'committed')
    }
    const { title = base.title, summary = base.summary, content, sources = [] } = draft
    return { title, summary, content, sources, changeType, rationale }
  })
}

/** Whether two drafts have the same texts, without their rationales. */
function isSame(one: Draft, other: Draft): boolean {
  const said = ({ title, summary, content, sources = [] }: Draft): string =>
    JSON.stringify([
      title,
      summary,
      content,
      sources.map(({ entryId, revisionId }) => `${entryId}@${revisionId}`).sort(),
    ])
  return said(one) === said(other)
}

/** Opens the latest revision of an entry in the person's editor, and commits the saved text. */
export async function edit(session: Session): Promise<void> {
  const { invocation, client, out } = session
  // The slug becomes part of a file name and of a command line. It is the typed one, never one from the service.
  const slug = entryName(argument(invocation, 0))
  const editor = editorOf(invocation)
  const entry = await client.readEntry(slug)
  const revision = await client.readRevision(entry.id, entry.currentRevisionId)
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-'))
  const file = join(directory, `${slug}.md`)
  const begun = toEdit(revision, invocation)
  writeFileSync(file, begun)
  let worthKeeping = false
  try {
    await runEditor(invocation, editor, file)
    const saved = readFileSync(file, 'utf8')
    if (saved === begun) throw mistake('The text is unchanged. Nothing was committed.')
    worthKeeping = true
    await commitDraft(session, entry, parseDraft(saved, file), {
      name: file,
      merge: true,
      unmerged(both) {
        writeFileSync(file, formatDraft(both))
        return `both versions are in ${file}, between markers; resolve the conflict there, and run "palimpsest revise ${slug} ${file}"`
      },
    })
    worthKeeping = false
  } catch (error) {
    if (worthKeeping) out.note(`Your text is in ${file}; "palimpsest revise ${slug} ${file} --merge" commits it.`)
    throw error
  } finally {
    if (!worthKeeping) rmSync(directory, { recursive: true, force: true })
  }
}

/** The draft, with empty lines for the change type and the rationale if no flag sets them. */
function toEdit({ id, title, summary, content, sources }: Revision, { flags }: Invocation): string {
  const reasons = [
    ...(flags['change-type'] === undefined ? [`# The kind of change: ${CHANGE_TYPES.join(', ')}.`, 'changeType:'] : []),
    ...(flags.rationale === undefined
      ? ['# Your change and its reason, in at most 1000 characters.', 'rationale:']
      : []),
  ]
  const draft = formatDraft({ previousRevisionId: id, title, summary, content, sources })
  return reasons.length === 0 ? draft : draft.replace('---\n', `---\n${reasons.join('\n')}\n`)
}

/** VISUAL, then EDITOR, then vi if there is a terminal. The variables can contain arguments, for example "code --wait". */
function editorOf({ env, stdin }: Invocation): string {
  const named = env.VISUAL || env.EDITOR
  if (named) return named
  if (stdin.isTTY !== true) {
    throw mistake(
      'There is no terminal for an editor; set EDITOR, or use "palimpsest show SLUG --edit" and "palimpsest revise".',
    )
  }
  return process.platform === 'win32' ? 'notepad' : 'vi'
}

/** Runs an editor in the terminal of this process. */
async function runEditor({ env }: Invocation, editor: string, file: string): Promise<void> {
  const settings = { env: { ...process.env, ...env }, stdio: 'inherit' } as const
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { ...settings, shell: true })
      : spawn('sh', ['-c', `${editor} "$@"`, editor, file], settings)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  const why = code === 127 ? 'was not found' : `ended with exit code ${code}`
  throw mistake(`The editor ${editor} ${why}; nothing was committed. Set VISUAL or EDITOR to another editor.`)
}
