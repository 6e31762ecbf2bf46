import { type Edit, type Entry, isClientError, type Revision, type RevisionInput } from '../../client/index.ts'
import { CHANGE_TYPES } from '../../contract/words.ts'
import { CommandError, EXIT } from '../command.ts'
import { confirmRepeat } from './confirm.ts'
import { textOf } from './diff.ts'
import { type Draft, formatDraft } from './draft.ts'
import { checkInput, readDraft } from './draft-file.ts'
import { mergeDrafts } from './merge-drafts.ts'
import { styled } from './output.ts'
import { mistake, type Session } from './session.ts'
import { unifiedLines, writeUnified } from './unified.ts'
import { entryName, oneOf, revisionOf } from './values.ts'

/** Commits what a file says on top of the revision that it was made from. */
export async function revise(session: Session): Promise<void> {
  const { invocation, client, out, json, baseUrl } = session
  const [slug, file = '-'] = invocation.args
  const draft = await readDraft(session, file)
  const entry = await client.readEntry(entryName(slug))
  const { base, mine, input } = await inputOf(session, entry, draft)
  if (isSame(textOf(base), mine)) {
    await confirmRepeat(session, `${nameOfFile(file)} says the same as the revision that it was made from`, 'committed')
  }
  await session.becomeActor()
  const revised = invocation.switches.has('merge')
    ? await commitMerged(session, entry, input, mine)
    : await commit(session, entry, input, mine)
  if (json) return out.json(revised)
  out.line('Revised ', styled('cyan', revised.slug), `, now revision ${revised.currentRevisionId}`)
  out.line(`  ${baseUrl}/entries/${revised.slug}`)
}

type Made = { base: Revision; mine: Draft; input: RevisionInput }

/** The body of the revision. What the file leaves out stays as it was in the revision that it was made from. */
async function inputOf({ invocation: { flags }, client }: Session, entry: Entry, draft: Draft): Promise<Made> {
  const named = flags.previous ?? draft.previousRevisionId
  const changeType = flags['change-type'] ?? draft.changeType
  const rationale = flags.rationale ?? draft.rationale
  if (named === undefined) {
    throw mistake(
      'The file does not say which revision it was made from: begin with "palimpsest show SLUG --edit", or give --previous.',
    )
  }
  if (changeType === undefined) throw mistake(`There is no changeType: give --change-type, ${CHANGE_TYPES.join(', ')}.`)
  if (rationale === undefined) throw mistake('There is no rationale: say with --rationale what was changed and why.')
  const base = await revisionOf(client, entry, named)
  const mine = { ...textOf(base), ...draft, previousRevisionId: base.id, rationale, changeType }
  const { title, summary, content, sources } = mine
  const input = checkInput<RevisionInput>('RevisionInput', {
    previousRevisionId: base.id,
    title: title ?? base.title,
    summary: summary ?? base.summary,
    content,
    changeType: oneOf('changeType', changeType, CHANGE_TYPES),
    rationale,
    ...(sources === undefined ? {} : { sources }),
  })
  return { base, mine, input }
}

/** Sends the revision once. Where somebody came first, tells what they changed and how to go on. */
async function commit(session: Session, entry: Entry, input: RevisionInput, mine: Draft): Promise<Entry> {
  try {
    return await session.client.reviseEntry(entry.id, input)
  } catch (error) {
    if (!isClientError(error) || error.code !== 'STALE_REVISION') throw error
    const { base, latest } = await sidesOf(session, entry.id, input.previousRevisionId)
    const { out } = session
    out.note(styled('bold', `What came in between, from ${base.id} to ${latest.id}:`))
    writeUnified(out.note, unifiedLines(textOf(base), textOf(latest)))
    const { open } = mergeDrafts(textOf(base), textOf(latest), mine)
    const both = open === 0 ? 'Nothing that you changed was changed there' : `You changed the same in ${open} places`
    throw new CommandError(
      `STALE_REVISION: somebody revised ${entry.slug} first, and nothing was overwritten. ${both}: run it again with --merge. (request ${error.requestId})`,
      EXIT.conflict,
    )
  }
}

type Sides = { base: Revision; latest: Revision }

async function sidesOf({ client }: Session, entryId: string, previousRevisionId: string): Promise<Sides> {
  const { currentRevisionId } = await client.readEntry(entryId)
  const [base, latest] = await Promise.all([
    client.readRevision(entryId, previousRevisionId),
    client.readRevision(entryId, currentRevisionId),
  ])
  return { base, latest }
}

/** Sends the revision on top of the latest, merged by lines with what came in between, as often as somebody comes first. */
function commitMerged(session: Session, { id }: Entry, input: RevisionInput, mine: Draft): Promise<Entry> {
  const { client, out, json } = session
  return client.reviseWithRetry(id, async ({ currentRevisionId }): Promise<Edit> => {
    const { changeType, rationale } = input
    const base = await client.readRevision(id, input.previousRevisionId)
    // The entry as it was read names its latest revision, and only that one tells its sources.
    const latest = await client.readRevision(id, currentRevisionId)
    const { draft, open } = mergeDrafts(textOf(base), textOf(latest), mine)
    if (open > 0) {
      const both = { ...draft, previousRevisionId: latest.id }
      if (json) out.json(both)
      else out.whole(formatDraft(both))
      throw new CommandError(
        `You and others changed the same in ${open} places: both are on standard output, between marks; keep it as a file, decide, and revise with that.`,
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

const nameOfFile = (file: string): string => (file === '-' ? 'Standard input' : file)

/** Whether two drafts say the same, their reasons aside. */
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
