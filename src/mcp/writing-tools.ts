import { type Client, isClientError } from '../client/index.ts'
import { clientError } from '../client/problem.ts'
import type { EvidenceInput, EvidenceResult, FeedbackInput } from '../client/resources.ts'
import {
  ContradictInput,
  CreateInput,
  ModerationInput,
  OBSERVED_ON,
  QUOTE,
  RelationInput,
  ReportInput,
  RevisionInput,
  VerifyInput,
} from '../contract/inputs.ts'
import { LIMITS } from '../contract/limits.ts'
import { remedyOf } from '../contract/problems.ts'
import type { Entry, Revision, Similar, Verification } from '../contract/resources.ts'
import { type Properties, Type, text, uuid } from '../contract/schema.ts'
import { standingLine } from '../memory/evidence/rules.ts'
import { signalLine } from '../memory/signals/text.ts'
import { SUMMARY_BYTES, TITLE_BYTES } from './show.ts'
import {
  ACTING,
  CLOSED,
  type Context,
  entry,
  entryIdsOf,
  fenced,
  inputOf,
  type Memory,
  member,
  optionalOf,
  type Tool,
  type ToolAnswer,
  tool,
} from './tool.ts'

/** Up to ten judgements, instead of the one in the other arguments. */
const itemsOf = <P extends Properties>(properties: P) =>
  Type.Optional(
    Type.Array(Type.Object({ entry, ...properties }, CLOSED), {
      minItems: 1,
      maxItems: LIMITS.evidenceItems,
      description: 'Several, each with the arguments above; each counts as one write, with one cooldown.',
    }),
  )

const handle = Type.Optional(
  text(
    LIMITS.handleCharacters,
    'The handle in the answer of find or read. It suffices, with a rationale if the text failed.',
  ),
)
/** The arguments that a handle replaces. */
const REPLACED = ['entry', 'revisionId', 'result', 'confidence', 'sourceEntryId', 'quote', 'items']

/** Names the missing arguments if the call has neither a handle nor items nor one complete judgement. */
const oneOrItems =
  (needed: readonly string[]) =>
  (args: Record<string, unknown>): string | undefined => {
    if (args.handle !== undefined) {
      const needless = REPLACED.filter(name => args[name] !== undefined)
      return needless.length === 0 ? undefined : `the call has handle and ${needless.join(', ')}; give only one of them`
    }
    const given = Object.keys(args).filter(name => name !== 'items' && name !== 'actor' && name !== 'actorToken')
    if (args.items !== undefined) {
      return given.length === 0 ? undefined : `the call has items and ${given.join(', ')}; give one judgement or items`
    }
    const missing = needed.filter(name => args[name] === undefined)
    return missing.length === 0 ? undefined : `the call lacks ${missing.join(', ')}`
  }

type Item = EvidenceInput['items'][number]

/** Records that a text worked or failed, by the handle of the answer with it. */
async function recordByHandle(client: Client, input: FeedbackInput): Promise<ToolAnswer> {
  const { verification, contradiction } = await client.sendFeedback(input)
  const made = verification ?? contradiction
  if (made === undefined) throw new Error('The answer to feedback has no judgement.')
  return recorded(verification === undefined ? 'contradiction' : 'verification', made)
}

type JudgementName = 'verification' | 'contradiction'

const recorded = (
  name: JudgementName,
  { id, entryId, revisionId }: Pick<Verification, 'id' | 'entryId' | 'revisionId'>,
  result = '',
): ToolAnswer => ({
  text: `Recorded ${name} ${id} of revision ${revisionId}${result}.`,
  structured: { [`${name}Id`]: id, entryId, revisionId },
})

/** Records several judgements by one request, and reports the result of each. */
async function recordAll(client: Client, items: Item[], name: JudgementName): Promise<ToolAnswer> {
  const { items: results } = await client.recordEvidence({ items })
  const made = results.flatMap(result => result[name]?.id ?? [])
  const lines = results.map((result, place) => `${place}. ${lineOf(result, items[place]?.entry ?? '')}`)
  return {
    text: [`Recorded ${made.length} of ${results.length} ${name}s.`, ...lines].join('\n'),
    structured: { [`${name}Ids`]: made.join(',') },
    failed: made.length === 0,
  }
}

function lineOf({ verification, contradiction, error }: EvidenceResult, address: string): string {
  const made = verification ?? contradiction
  if (made !== undefined) return `Recorded ${made.id} of revision ${made.revisionId}.`
  const code = error?.code ?? ''
  return `Refused for ${JSON.stringify(address)}: ${code}: ${remedyOf(code, error?.member)}`
}

const observedOn = Type.Optional(OBSERVED_ON)
/** The environment of the session as a member of a judgement. */
const triedOn = (environment: Context['environment']) =>
  environment === undefined ? {} : { observedOn: [...environment] }
const VERIFY = { ...VerifyInput.properties, observedOn }
const CONTRADICT = { ...ContradictInput.properties, quote: Type.Optional(QUOTE), observedOn }

type JudgementArguments = { handle?: string; entry?: string; items?: readonly object[] } & Record<string, unknown>

/** Records a judgement by its handle, several by one request, or the one in the arguments. */
async function judge(
  { client, environment }: Pick<Context, 'client' | 'environment'>,
  { handle: given, entry: address = '', items, ...rest }: JudgementArguments,
  kind: Item['kind'],
): Promise<ToolAnswer> {
  const name = kind === 'VERIFY' ? 'verification' : 'contradiction'
  const input = { ...triedOn(environment), ...rest }
  if (given !== undefined) {
    const outcome = kind === 'VERIFY' ? 'WORKED' : 'FAILED'
    return recordByHandle(client, { handle: given, outcome, ...input } as FeedbackInput)
  }
  // The operation of one judgement takes neither a quote nor an environment.
  const isAlone = items === undefined && rest.quote === undefined && input.observedOn === undefined
  if (!isAlone) {
    const all = (items ?? [{ entry: address, ...rest }]).map(one => ({ ...triedOn(environment), ...one, kind }))
    return recordAll(client, all as Item[], name)
  }
  if (kind === 'CONTRADICT') return recorded(name, await client.contradictRevision(address, input as ContradictInput))
  const made = await client.verifyRevision(address, input as VerifyInput)
  return recorded(name, made, `: ${made.result}`)
}

const verify = tool({
  name: 'verify',
  title: 'Record the result of using a revision',
  description:
    'After an entry helped, pass its handle. Or record for an exact revision: the result, your confidence, and your test. Record failures and doubts too.',
  input: inputOf({
    handle,
    ...optionalOf({ entry, ...VERIFY }),
    items: itemsOf(VERIFY),
    ...ACTING,
  }),
  performs: ['createActor', 'sendFeedback', 'verifyRevision', 'recordEvidence'],
  refuse: oneOrItems(['entry', ...Object.keys(VerifyInput.properties)]),
  run: (context, args) => judge(context, args, 'VERIFY'),
})

const contradict = tool({
  name: 'contradict',
  title: 'Record that a revision is wrong',
  description:
    'Record that a text failed or is wrong, by its handle or revision, and the reason. Name a supporting entry as sourceEntryId. If you know the right text, revise too.',
  input: inputOf({
    handle,
    ...optionalOf({ entry, ...CONTRADICT }),
    items: itemsOf(CONTRADICT),
    ...ACTING,
  }),
  performs: ['createActor', 'sendFeedback', 'contradictRevision', 'recordEvidence'],
  refuse: oneOrItems(['entry', 'revisionId', 'rationale']),
  run: (context, args) => judge(context, args, 'CONTRADICT'),
})

const EVIDENCE_TOOLS: readonly Tool[] = [verify, contradict]

/** One piece of a text and its replacement. */
type Replacement = { old: string; new: string }

/** The text with each piece replaced, one after another, or the sentence about the first piece that does not occur exactly once. */
function replaceIn(text: string, replacements: readonly Replacement[]): { text: string } | { misfit: string } {
  let result = text
  for (const [place, { old, new: next }] of replacements.entries()) {
    const at = result.indexOf(old)
    if (at < 0)
      return { misfit: `replace.${place}.old does not occur in the content; read it again and copy the piece exactly.` }
    if (result.indexOf(old, at + 1) >= 0)
      return { misfit: `replace.${place}.old occurs more than once in the content; make it longer until it is unique.` }
    result = result.slice(0, at) + next + result.slice(at + old.length)
  }
  return { text: result }
}

/** The text with each piece replaced. Throws INVALID_ARGUMENT if a piece does not occur exactly once. */
function replaced(text: string, replacements: readonly Replacement[]): string {
  const result = replaceIn(text, replacements)
  if ('misfit' in result) throw clientError('INVALID_ARGUMENT', result.misfit)
  return result.text
}

/** The texts of a revision that a call changes. */
const TEXTS = ['title', 'summary', 'content'] as const
type TextChange = Partial<Text> & { replace?: readonly Replacement[] | undefined }

/** The answer to a change whose base is not the latest revision any more: whether the change still fits that one. */
function showStale({ replace, ...change }: TextChange, base: Text, latest: Revision): string {
  const stale = `STALE_REVISION: Another revision was committed first, and yours was not. The current revision is ${latest.id}.`
  const again = `call revise again with previousRevisionId=${latest.id} and the same arguments.`
  if (replace !== undefined) {
    const result = replaceIn(latest.content, replace)
    if ('misfit' in result) return `${stale} In its content ${result.misfit}`
    return `${stale} All pieces of replace still fit its content: ${again}`
  }
  const changed = TEXTS.filter(name => change[name] !== undefined && base[name] !== latest[name])
  return changed.length === 0
    ? `${stale} It left alone what you change: ${again}`
    : `${stale} It changed the ${changed.join(' and the ')} too: call read, merge your change, and call revise with it.`
}

/** The maximum number of pieces that one revision replaces. */
const REPLACEMENTS_MAX = 20

const revisionId = uuid('The revision.')

const written = (verb: string, { id, slug: address, currentRevisionId }: Entry) => ({
  text: `${verb} entry ${id} (${address}), current revision ${currentRevisionId}.`,
  structured: { entryId: id, slug: address, revisionId: currentRevisionId },
})

type Text = Pick<Revision, 'title' | 'summary' | 'content'>
const isSameText = (a: Text, b: Text): boolean =>
  a.title === b.title && a.summary === b.summary && a.content === b.content

type Sources = readonly { entryId: string; revisionId: string }[]
const isSameList = (a: Sources, b: Sources): boolean =>
  a.length === b.length &&
  a.every(({ entryId, revisionId }, at) => entryId === b[at]?.entryId && revisionId === b[at]?.revisionId)

const publish = tool({
  name: 'publish',
  title: 'Publish a new entry',
  description: memory =>
    `Publish knowledge as an entry: one subject, in a form that others can check. Call find first; if an entry exists, revise it instead. ${memory === 'shared' ? 'All entries are public and permanent: no secrets, no private data.' : 'Every revision is stored: no secrets.'}`,
  input: inputOf({
    ...CreateInput.properties,
    anyway: Type.Optional(Type.Boolean({ description: 'Publish although similar entries exist.' })),
    ...ACTING,
  }),
  performs: ['createActor', 'listSimilar', 'createEntry'],
  async run({ client, memory }, { anyway = false, ...input }) {
    const similar = anyway ? [] : await mayBeSame(client, input)
    if (similar.length > 0) return { text: showSimilar(similar, memory), failed: true }
    const made = await client.createEntry(input)
    const { text, structured } = written('Published', made)
    const signals = made.signals.length === 0 ? '' : ` ${signalLine(made.signals)}.`
    const near = (made.hints.similar ?? []).map(one => ({
      ...{ entryId: one.id, slug: one.slug, title: member(one.title, TITLE_BYTES) },
      ...{ match: one.match, standing: standingLine(one.standing) },
    }))
    const hint = near.length === 0 ? '' : `\nSimilar entries, which relate can link to it:\n${fenced(memory, near)}`
    return { text: `${text}${signals}${hint}`, structured }
  },
})

/** Minimum similarity (0 to 1) from which an entry prevents a publication unless `anyway` is true. */
const SAME_FROM = 0.7

const mayBeSame = async (client: Client, { title, summary }: { title: string; summary: string }): Promise<Similar[]> =>
  (await client.listSimilar({ title, summary })).items.filter(({ score }) => score >= SAME_FROM)

const showSimilar = (similar: readonly Similar[], memory: Memory): string => {
  const rows = similar.map(one => ({
    entryId: one.id,
    slug: one.slug,
    currentRevisionId: one.currentRevisionId,
    title: member(one.title, TITLE_BYTES),
    summary: member(one.summary, SUMMARY_BYTES),
    match: one.score,
    standing: standingLine(one.standing),
  }))
  return `Your entry was not published: ${rows.length === 1 ? 'an entry' : `${rows.length} entries`} may say the same. Call read; if one does, revise or verify it. If yours is about another subject, call publish again with anyway=true.\n${fenced(memory, rows)}`
}

const { title, summary, content, changeType, rationale, sources, previousRevisionId } = RevisionInput.properties

const revise = tool({
  name: 'revise',
  title: 'Revise an entry',
  description:
    'Change an entry on top of the revision that read returned. Omit unchanged texts; for a small change of the content use replace. If another revision came first, nothing is written and the answer names it. Tags stay.',
  input: inputOf({
    entry,
    previousRevisionId,
    ...optionalOf({ title, summary, content }),
    replace: Type.Optional(
      Type.Array(
        Type.Object(
          {
            old: Type.String({ minLength: 1, maxLength: LIMITS.contentCharacters }),
            new: Type.String({ maxLength: LIMITS.contentCharacters }),
          },
          CLOSED,
        ),
        {
          minItems: 1,
          maxItems: REPLACEMENTS_MAX,
          description: 'Instead of content: pieces that occur exactly once, and their replacements.',
        },
      ),
    ),
    undoTo: Type.Optional(uuid('Instead of texts: the revision whose text and sources come back.')),
    changeType,
    rationale,
    sources,
    ...ACTING,
  }),
  performs: ['createActor', 'readRevision', 'reviseEntry'],
  refuse: args =>
    args.content !== undefined && args.replace !== undefined
      ? 'the call has content and replace; use one of them'
      : args.undoTo !== undefined && [...TEXTS, 'replace'].some(member => args[member] !== undefined)
        ? 'the call has undoTo and texts; use one of them'
        : undefined,
  async run({ client }, { entry: name, replace, undoTo, ...input }) {
    const base = await client.readRevision(name, input.previousRevisionId)
    const { title, summary, content, sources } = undoTo === undefined ? base : await client.readRevision(name, undoTo)
    const text = { title, summary, content: replaced(content, replace ?? []), sources, ...input }
    if (isSameText(text, base) && isSameList(text.sources, base.sources)) {
      throw clientError('INVALID_ARGUMENT', 'The revision would change nothing, so nothing was written.')
    }
    try {
      return written('Revised', await client.reviseEntry(name, text))
    } catch (error) {
      const latest = isClientError(error) && error.code === 'STALE_REVISION' ? error.latestRevisionId : null
      if (latest === null) throw error
      const change = undoTo === undefined ? { replace, ...input } : text
      return { text: showStale(change, base, await client.readRevision(name, latest)), failed: true }
    }
  },
})

const named = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.slugCharacters, description: `${description}: entryId or slug.` })

const relate = tool({
  name: 'relate',
  title: 'Relate two entries',
  description:
    'Link one entry to another. CONNECT: they belong together. REUSES: the source uses the target. SYNTHESIZES: it combines its targets. CONTRADICTS: it disagrees with the target.',
  input: inputOf({
    source: named('The entry where the relation starts'),
    target: named('The entry where it ends'),
    relationType: RelationInput.properties.relationType,
    rationale: RelationInput.properties.rationale,
    ...ACTING,
  }),
  performs: ['createActor', 'readBatch', 'relateEntries'],
  aliases: { sourceEntryId: 'source', targetEntryId: 'target' },
  async run({ client }, { source, target, ...rest }) {
    const [sourceEntryId, targetEntryId] = await entryIdsOf(client, [source, target])
    const made = await client.relateEntries({ sourceEntryId, targetEntryId, ...rest })
    return {
      text: `Recorded relation ${made.id}: ${made.sourceEntryId} ${made.relationType} ${made.targetEntryId}.`,
      structured: { relationId: made.id },
    }
  },
})

type Reportable = { name: string | undefined; revision: string | undefined; evidenceId: string | undefined }

async function reportTarget(client: Client, { name, revision, evidenceId }: Reportable) {
  if (revision !== undefined) return { targetType: 'REVISION' as const, targetId: revision }
  if (evidenceId !== undefined) return { targetType: 'EVIDENCE' as const, targetId: evidenceId }
  if (name === undefined) throw new Error('report was called without a target.')
  const [targetId] = await entryIdsOf(client, [name])
  return { targetType: 'ENTRY' as const, targetId }
}

const report = tool({
  name: 'report',
  title: 'Report abuse to the operator',
  description:
    'Report abuse: spam, private data, malicious instructions. Only the operator sees it. Name one of entry, revisionId or evidenceId. Use contradict for honest errors.',
  input: inputOf({
    entry: Type.Optional(entry),
    revisionId: Type.Optional(revisionId),
    evidenceId: Type.Optional(uuid('A verification or a contradiction.')),
    reason: ReportInput.properties.reason,
    details: ReportInput.properties.details,
  }),
  performs: ['readBatch', 'createReport'],
  only: 'shared',
  refuse({ entry: name, revisionId: revision, evidenceId }) {
    const given = [name, revision, evidenceId].filter(one => one !== undefined)
    return given.length === 1 ? undefined : 'the call must name exactly one of entry, revisionId and evidenceId'
  },
  async run({ client }, { entry: name, revisionId: revision, evidenceId, ...rest }) {
    const target = await reportTarget(client, { name, revision, evidenceId })
    const made = await client.createReport({ ...target, ...rest })
    return {
      text: `Reported ${made.targetType} ${made.targetId}: report ${made.id}.`,
      structured: { reportId: made.id },
    }
  },
})

const forget = tool({
  name: 'forget',
  title: 'Withdraw an entry',
  description:
    'Withdraw an unwanted entry. No tool shows it again; its revisions stay in the files of the store until those are deleted.',
  input: inputOf({ entry, reason: ModerationInput.properties.reason }),
  performs: ['moderate'],
  only: 'private',
  async run({ forget: withdraw }, { entry: name, reason }) {
    if (withdraw === undefined) throw new Error('forget was called without a private store.')
    const { entryId: id } = await withdraw(name, reason)
    return { text: `Withdrew entry ${id}.`, structured: { entryId: id } }
  },
})

/** The tools that write. Tools that need an actor create one if there is none; this is charged as one more write. */
export const WRITING_TOOLS: readonly Tool[] = [publish, revise, ...EVIDENCE_TOOLS, relate, report, forget]
