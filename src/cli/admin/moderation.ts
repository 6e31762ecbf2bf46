import type { Activity, AdminReport, Flags, ModerationInput, ModerationResult } from '../../client/resources.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { AppealedDecision, AppealList } from '../../contract/resources.ts'
import { GROUNDS, MODERATION_ACTIONS, RESOLUTIONS, TARGET_TYPES } from '../../contract/vocabulary.ts'
import { moderated } from '../../memory/moderation/rules.ts'
import { isUuid } from '../../memory/values.ts'
import { lastRun, undoableIds, undoing } from '../../web/browser/admin-many.js'
import { CONSEQUENCES } from '../../web/browser/consequences.js'
import { argument, CommandError, EXIT, type Invocation, mistake, UsageError } from '../command.ts'
import { countOf, oneOf, plural } from '../people/flags.ts'
import { styled } from '../people/output.ts'
import { type Administration, administrate } from './connection.ts'

/** The members of the administrator's snapshot that the commands use. */
type Snapshot = {
  entries: { id: string; actor: { id: string } }[]
  audit: ModerationResult[]
  truncated: Record<string, number>
}
type ListedAction = Omit<ModerationInput, 'reason'> & { reason?: string }

const NO_FLAGS: Flags = { hidden: false, quarantined: false, blocked: false }
const LIST_MAX = 10_000

/** Performs an action on targets, or on the entries of an actor; with --dry-run only shows what would happen. */
export const moderate = (invocation: Invocation): Promise<number> =>
  administrate(invocation, async administration => {
    const { flags, switches, args } = invocation
    const action = oneOf('ACTION', argument(invocation, 0), MODERATION_ACTIONS)
    const targetType = oneOf('--type', flags.type ?? 'ENTRY', TARGET_TYPES)
    if (!(action in CONSEQUENCES[targetType]))
      throw mistake(`${action} does not apply to ${targetType === 'RECORD' ? 'a' : 'an'} ${targetType}.`)
    const reason = flags.reason ?? ''
    if (reason === '' && !switches.has('dry-run')) throw new UsageError('--reason is missing; the audit records it.')
    if (reason.length > LIMITS.rationaleCharacters)
      throw mistake(`--reason has over ${LIMITS.rationaleCharacters} characters.`)
    const targets = await targetsOf(administration, args.slice(1))
    const ground = oneOf('--ground', flags.ground ?? 'OTHER', GROUNDS)
    const named = flags.appeal === undefined ? {} : { appeal: flags.appeal }
    const actions = targets.map(targetId => ({ targetType, targetId, action, ground, reason, ...named }))
    await (switches.has('dry-run') ? preview(administration, actions) : perform(administration, actions))
  })

/** The named targets; with --by-actor the entries that the actor created. */
async function targetsOf(administration: Administration, named: readonly string[]): Promise<readonly string[]> {
  const { flags } = administration.invocation
  const actor = flags['by-actor']
  if (actor === undefined) {
    if (named.length === 0) throw new UsageError('TARGET is missing: name targets, or an actor by --by-actor.')
    return named
  }
  if (named.length > 0 || (flags.type ?? 'ENTRY').toUpperCase() !== 'ENTRY')
    throw new UsageError('--by-actor stands for the entries of the actor: name no target and no other type with it.')
  const entries = await entriesOf(administration, actor)
  if (entries.size === 0) throw new CommandError(`The actor ${actor} created no entry.`, EXIT.notFound)
  return [...entries]
}

/** The ids of the entries that an actor created: the public ones, and those of the snapshot, withdrawn ones included. */
async function entriesOf({ read, out }: Administration, actor: string): Promise<Set<string>> {
  if (!isUuid(actor))
    throw new UsageError('--by-actor must be the id of an actor; the console and "palimpsest reports" show ids.')
  const { entries, truncated } = await read<Snapshot>('/api/admin/snapshot')
  const found = new Set(entries.filter(one => one.actor.id === actor).map(({ id }) => id))
  for (let before: string | null = ''; before !== null; ) {
    const at: string = before === '' ? '' : `&before=${before}`
    const page = await read<{ items: Activity[]; nextCursor: string | null }>(
      `/api/actors/${actor}?limit=${LIMITS.pageMax}${at}`,
    )
    for (const { action, entryId } of page.items) if (action === 'CREATE' && entryId !== null) found.add(entryId)
    before = page.nextCursor
  }
  if ((truncated.entries ?? 0) > 0)
    out.note(
      `Withdrawn entries are found among the ${entries.length} entries that changed last. QUARANTINE of the actor withdraws all of its entries.`,
    )
  return found
}

/** Performs actions one after another, and prints each result. */
async function perform({ write, out, json }: Administration, actions: readonly ModerationInput[]): Promise<void> {
  for (const action of actions) {
    const result = await write<ModerationResult>('/api/admin/moderate', action)
    if (json) out.json(result)
    else writeResult(out, result)
    await out.taken()
  }
}

const stateOf = (flags: Flags): string => {
  const set = Object.entries(flags).flatMap(([name, on]) => (on ? [name] : []))
  return set.length === 0 ? 'not moderated' : set.join(' and ')
}

function writeResult(
  out: Administration['out'],
  { action, targetType, targetId, changed, state, affected }: ModerationResult,
) {
  const effect = changed
    ? `; also changed: ${plural(affected.entries, 'entry', 'entries')}, ${plural(affected.actors, 'actor')}`
    : '; it was already in this state'
  const now = action === 'ERASE' ? 'erased' : stateOf(state)
  out.line(styled('bold', action), ` ${targetType} ${targetId}: it is now ${now}${effect}`)
}

/** Shows for each action the present state of its target, the state after it, and the consequence, and changes nothing. */
async function preview({ read, out, json }: Administration, actions: readonly ListedAction[]): Promise<void> {
  const { audit, truncated } = await read<Snapshot>('/api/admin/snapshot')
  for (const { targetType, targetId, action } of actions) {
    const shown = await presentState(read, { targetType, targetId }, { audit, truncated })
    const after = shown.state === undefined ? undefined : moderated(shown.state, action, targetType)
    const consequence = CONSEQUENCES[targetType][action] ?? ''
    if (json) {
      out.json({
        targetType,
        targetId: shown.id,
        action,
        previousState: shown.state ?? null,
        state: after ?? null,
        consequence,
      })
      continue
    }
    const now =
      shown.state === undefined
        ? 'its present state is older than the audit of the snapshot'
        : `it is ${stateOf(shown.state)}`
    const then = after === undefined ? '' : `, and would be ${action === 'ERASE' ? 'erased' : stateOf(after)}`
    const title = shown.title === undefined ? '' : ` "${shown.title}"`
    out.line(styled('bold', action), ` ${targetType} ${shown.id}${title}: ${now}${then}`)
    out.block(consequence)
  }
  out.note(`Nothing was changed: ${plural(actions.length, 'action')} in a dry run.`)
}

/** The present state of a target: that of an entry from its record, any other from the newest act about it. */
async function presentState(
  read: Administration['read'],
  { targetType, targetId }: Pick<ListedAction, 'targetType' | 'targetId'>,
  { audit, truncated }: Pick<Snapshot, 'audit' | 'truncated'>,
): Promise<{ id: string; title?: string; state: Flags | undefined }> {
  if (targetType === 'ENTRY') {
    type Dossier = { entry: { id: string; title: string; moderation: Flags } }
    const { entry } = await read<Dossier>(`/api/admin/entries/${encodeURIComponent(targetId)}`)
    return { id: entry.id, title: entry.title, state: entry.moderation }
  }
  const newest = audit.find(row => row.targetType === targetType && row.targetId === targetId)
  const unlisted = (truncated.audit ?? 0) > 0 ? undefined : NO_FLAGS
  return { id: targetId, state: newest?.state ?? unlisted }
}

/** Lists the acts of moderation, or undoes some. */
export const decisions = (invocation: Invocation): Promise<number> =>
  administrate(invocation, async administration => {
    const { args, switches } = invocation
    if (switches.has('appeals')) return listAppeals(administration)
    const { audit, truncated } = await administration.read<Snapshot>('/api/admin/snapshot')
    const about = await ofActor(administration, audit)
    if (switches.has('undo')) {
      const actions = undoing(chosenOf(about, args, invocation.flags['by-actor'] !== undefined))
      if (actions.length === 0) throw new CommandError('There is nothing to undo.', EXIT.notFound)
      return switches.has('dry-run') ? preview(administration, actions) : perform(administration, actions)
    }
    if (args.length > 0 || switches.has('dry-run')) throw new UsageError('DECISION and --dry-run need --undo.')
    const { out, json } = administration
    const undoable = undoableIds(audit)
    const rows = about.slice(0, countOf('--limit', invocation.flags.limit ?? '20', LIST_MAX))
    for (const row of rows) json ? out.json(row) : writeDecision(administration, row, undoable.has(row.id))
    if (rows.length === 0) out.note('No act of moderation.')
    if ((truncated.audit ?? 0) > 0 && rows.length === about.length)
      out.note(`${truncated.audit} older acts are not in the snapshot of the service.`)
  })

/** The acts about the actor of --by-actor and about its entries; without the flag all. */
async function ofActor(administration: Administration, audit: ModerationResult[]): Promise<ModerationResult[]> {
  const actor = administration.invocation.flags['by-actor']
  if (actor === undefined) return audit
  const entries = await entriesOf(administration, actor)
  return audit.filter(({ targetId }) => targetId === actor || entries.has(targetId))
}

/** The acts to undo: the named ones; without names the newest change of each target of an actor, or the last run. */
function chosenOf(audit: ModerationResult[], ids: readonly string[], byActor: boolean): ModerationResult[] {
  const undoable = undoableIds(audit)
  if (ids.length === 0) return byActor ? audit.filter(({ id }) => undoable.has(id)) : lastRun(audit)
  return ids.map(id => {
    const row = audit.find(one => one.id === id)
    if (row === undefined) throw new CommandError(`There is no decision ${id} in the snapshot.`, EXIT.notFound)
    if (row.action === 'ERASE') throw mistake(`${id} is an erasure, which nothing undoes.`)
    if (!undoable.has(id)) throw mistake(`${id} is not the newest change of its target; undo the newest one first.`)
    return row
  })
}

/** Lists the open appeals. An act that names one answers it. */
async function listAppeals({ read, invocation, out, json }: Administration): Promise<void> {
  const { args, flags, switches } = invocation
  if (args.length > 0 || flags['by-actor'] !== undefined || switches.has('undo') || switches.has('dry-run'))
    throw new UsageError('--appeals only lists: use it without DECISION, --undo, --by-actor and --dry-run.')
  const limit = countOf('--limit', flags.limit ?? '20', LIMITS.pageMax)
  const { items } = await read<AppealList>(`/api/admin/appeals?limit=${limit}`)
  for (const item of items) json ? out.json(item) : writeAppeal(out, item)
  if (items.length === 0) out.note('No open appeal.')
}

function writeAppeal(out: Administration['out'], row: AppealedDecision): void {
  const { createdAt, action, ground, targetType, targetId, reason, appeal, actorId } = row
  out.line(styled('dim', `${out.time(createdAt)} `), styled('bold', action), ` ${targetType} ${targetId}  ${ground}`)
  out.block(reason)
  out.line(`  appeal ${appeal?.id} by actor ${actorId}`)
  out.block(appeal?.rationale ?? '')
}

function writeDecision({ out }: Administration, row: ModerationResult, isUndoable: boolean): void {
  const { id, createdAt, action, targetType, targetId, changed, affected } = row
  const effect = changed
    ? `changed; ${plural(affected.entries, 'entry', 'entries')}, ${plural(affected.actors, 'actor')}`
    : 'no change'
  out.line(styled('dim', `${out.time(createdAt)} `), styled('bold', action), ` ${targetType} ${targetId}  ${effect}`)
  out.line(`  decision ${id}${isUndoable ? ', can be undone' : ''}`)
  out.block(row.reason)
}

/** Lists reports, or closes the named ones. */
export const reports = (invocation: Invocation): Promise<number> =>
  administrate(invocation, async administration => {
    const { flags, args, switches } = invocation
    const limit = countOf('--limit', flags.limit ?? '20', LIST_MAX)
    const { out, json, write } = administration
    const outcome = flags.close
    if (outcome === undefined && (args.length > 0 || flags.note !== undefined || switches.has('dry-run')))
      throw new UsageError('REPORT, --note and --dry-run need --close.')
    const resolution = outcome === undefined ? undefined : oneOf('--close', outcome, RESOLUTIONS)
    if (resolution !== undefined && args.length === 0)
      throw new UsageError('REPORT is missing: name the reports to close.')
    if (resolution === undefined || switches.has('dry-run')) {
      const rows = await listReports(administration, args.length > 0 ? LIST_MAX : limit)
      const shown = args.length === 0 ? rows : args.map(id => named(rows, id))
      for (const row of shown) json ? out.json(row) : writeReport(administration, row)
      if (shown.length === 0) out.note('No report.')
      if (resolution !== undefined)
        out.note(`Nothing was changed: ${resolution} of ${plural(shown.length, 'report')} in a dry run.`)
      return
    }
    const body = { resolution, ...(flags.note === undefined ? {} : { note: flags.note }) }
    for (const id of args) {
      const closed = await write<AdminReport>(`/api/admin/reports/${encodeURIComponent(id)}`, body)
      if (json) out.json(closed)
      else out.line(styled('bold', resolution), ` report ${closed.id} about ${closed.slug}`)
    }
  })

function named(rows: readonly AdminReport[], id: string): AdminReport {
  const row = rows.find(one => one.id === id)
  if (row === undefined) throw new CommandError(`There is no open report ${id}.`, EXIT.notFound)
  return row
}

async function listReports({ read, invocation }: Administration, limit: number): Promise<AdminReport[]> {
  const state = invocation.switches.has('all') ? 'all' : 'open'
  const rows: AdminReport[] = []
  let before: string | null = ''
  while (before !== null && rows.length < limit) {
    const size = Math.min(LIMITS.pageMax, limit - rows.length)
    const at: string = before === '' ? '' : `&before=${before}`
    const page: { items: AdminReport[]; nextCursor: string | null } = await read(
      `/api/admin/reports?state=${state}&limit=${size}${at}`,
    )
    rows.push(...page.items)
    before = page.nextCursor
  }
  return rows
}

function writeReport({ out }: Administration, row: AdminReport): void {
  const { targetType, targetId, slug, title, status, resolution } = row
  const part = targetType === 'ENTRY' ? '' : `${targetType.toLowerCase()} ${targetId} of `
  out.line(
    styled('dim', `${out.time(row.createdAt)} `),
    styled('bold', row.reason),
    ` ${part}`,
    styled('cyan', slug),
    `  ${title}  ${status}`,
  )
  const by = row.actorId === null ? '' : `, by actor ${row.actorId}`
  out.line(
    `  report ${row.id}${by}, from origin ${row.originId ?? 'none stored'}${resolution === null ? '' : `, closed as ${resolution}`}`,
  )
  if (row.details !== null) out.block(row.details)
}
