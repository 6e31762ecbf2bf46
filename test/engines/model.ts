import type { ProblemCode } from '../../src/contract/problem.ts'
import type { Flags } from '../../src/contract/resources.ts'
import { expectedState, NO_FLAGS } from '../support/moderation.ts'

/** The rules of the contract and the decisions, written a second time over plain data in memory. Ids are passed in. */
export type ModelActor = { id: string; token: string; name: string | null; flags: Flags; observations: number }
export type ModelRevision = { id: string; entry: ModelEntry; ordinal: number }
export type ModelFinding = {
  id: string
  kind: 'VERIFY' | 'CONTRADICT'
  ordinal: number
  revision: ModelRevision
  actor: ModelActor
  source: ModelEntry | undefined
}
export type ModelRelation = { id: string; source: ModelEntry; target: ModelEntry; actor: ModelActor }
export type Text = { title: string; summary: string; content: string }
export type ModelEntry = Text & {
  id: string
  slug: string
  actor: ModelActor
  tags: readonly string[]
  flags: Flags
  updatedAt: number
  revisions: ModelRevision[]
  findings: ModelFinding[]
  relations: { ordinal: number; relation: ModelRelation }[]
  rows: Row[]
}
type Row = {
  sequence: number
  action: string
  actor: ModelActor
  revision: ModelRevision | undefined
  entry: ModelEntry | undefined
  relation?: ModelRelation
}

/** A refusal by the rules. */
export class Refusal extends Error {
  readonly code: ProblemCode
  constructor(code: ProblemCode) {
    super(code)
    this.code = code
  }
}
export const refuseUnless = (holds: boolean, code: ProblemCode): void => {
  if (!holds) throw new Refusal(code)
}

export const isWithdrawn = ({ flags, actor }: ModelEntry): boolean =>
  flags.hidden || flags.quarantined || actor.flags.quarantined
export const statusOf = (entry: ModelEntry): string => {
  if (entry.flags.quarantined || entry.actor.flags.quarantined) return 'QUARANTINED'
  if (entry.flags.hidden) return 'HIDDEN'
  return entry.flags.blocked ? 'LOCKED' : 'ACTIVE'
}
export const nameOf = ({ flags, name }: ModelActor): string | null => (flags.hidden || flags.quarantined ? null : name)
export const latestOf = ({ revisions }: ModelEntry): ModelRevision => revisions.at(-1) as ModelRevision
const isShown = ({ actor }: ModelFinding): boolean => !actor.flags.quarantined
const isRelationShown = ({ actor, source, target }: ModelRelation): boolean =>
  !actor.flags.quarantined && !isWithdrawn(source) && !isWithdrawn(target)

export function assertReadable(entry: ModelEntry | undefined): ModelEntry {
  if (entry === undefined) throw new Refusal('ENTRY_NOT_FOUND')
  refuseUnless(!isWithdrawn(entry), 'ENTRY_WITHDRAWN')
  return entry
}
export function assertWritable(entry: ModelEntry | undefined): ModelEntry {
  const readable = assertReadable(entry)
  refuseUnless(!readable.flags.blocked, 'ENTRY_LOCKED')
  return readable
}
export function assertWriter(actor: ModelActor | undefined): ModelActor {
  if (actor === undefined) throw new Refusal('ACTOR_TOKEN_REQUIRED')
  refuseUnless(!actor.flags.blocked && !actor.flags.quarantined, 'ACTOR_BLOCKED')
  return actor
}

const STEP = 1_000_000_000
type Page = { before: number | undefined; limit: number }

/** A page of rows with ordinals from 1, newest first; those that are not `shown` are passed over. */
function pageOf<R extends { ordinal: number }>(rows: readonly R[], shown: (row: R) => boolean, page: Page) {
  const before = page.before ?? 0
  const size = before < STEP ? rows.length : Math.min(Math.floor(before / STEP), rows.length)
  const found = rows.filter(row => row.ordinal <= size - (before % STEP) && shown(row)).reverse()
  const items = found.slice(0, page.limit)
  const last = items.at(-1)
  const more = found.length > items.length && last !== undefined
  return { items, nextCursor: more ? String(size * STEP + size - last.ordinal + 1) : null }
}
export const pageOfRevisions = ({ revisions }: ModelEntry, page: Page) => pageOf(revisions, () => true, page)
export const pageOfFindings = ({ findings }: ModelEntry, page: Page) => pageOf(findings, isShown, page)
export const pageOfRelations = ({ relations }: ModelEntry, page: Page) =>
  pageOf(relations, ({ relation }) => isRelationShown(relation), page)

export type Model = ReturnType<typeof createModel>

export function createModel() {
  const entries: ModelEntry[] = []
  const actors: ModelActor[] = []
  const rows: Row[] = []
  const seen = new Set<string>()
  let interactions = 0
  let sequence = 0

  const observe = (actor: ModelActor): void => {
    interactions += 1
    actor.observations += 1
  }
  const append = (row: Omit<Row, 'sequence'>): void => {
    const numbered = { ...row, sequence: ++sequence }
    rows.push(numbered)
    row.entry?.rows.push(numbered)
  }
  const shownRow = ({ actor, entry, relation }: Row): boolean =>
    !actor.flags.quarantined &&
    (entry === undefined || !isWithdrawn(entry)) &&
    (relation === undefined || isRelationShown(relation))
  const rowView = ({ sequence, action, actor, entry, revision }: Row) => ({
    sequence: String(sequence),
    action,
    actorId: actor.id,
    actorName: nameOf(actor),
    entryId: entry?.id ?? null,
    revisionId: revision?.id ?? null,
  })
  const found = (wanted: (entry: ModelEntry) => boolean, sort: 'recent' | 'evolution'): ModelEntry[] =>
    entries
      .filter(entry => !isWithdrawn(entry) && wanted(entry))
      .sort((a, b) => (sort === 'evolution' ? b.revisions.length - a.revisions.length : 0) || b.updatedAt - a.updatedAt)

  return {
    entries,
    actors,
    /** A write: counted, and in the feed at once. */
    write(row: Omit<Row, 'sequence'>): void {
      append(row)
      observe(row.actor)
    },
    /** A read or search: counted, and in the feed once for each actor, entry and hour. */
    read(actor: ModelActor, at: number, entry?: ModelEntry, revision = entry && latestOf(entry)): void {
      observe(actor)
      const action = entry === undefined ? 'SEARCH' : 'READ'
      const key = `${actor.id} ${action} ${entry?.id} ${Math.floor(at / 3_600_000)}`
      if (seen.has(key)) return
      seen.add(key)
      append({ action, actor, entry, revision })
    },
    /** A page of the feed, or of the activity of one entry. */
    feed({ before, limit }: Page, entry?: ModelEntry) {
      const found: Row[] = []
      const all = entry?.rows ?? rows
      for (let at = all.length - 1; at >= 0 && found.length <= limit; at--) {
        const row = all[at] as Row
        if (row.sequence < (before ?? Infinity) && shownRow(row)) found.push(row)
      }
      const items = found.slice(0, limit).map(rowView)
      return { items, nextCursor: found.length > limit ? (items.at(-1)?.sequence ?? null) : null }
    },
    find: found,
    /** Applies an action and returns its outcome. */
    moderate(target: ModelEntry | ModelActor, action: Parameters<typeof expectedState>[1]) {
      const previousState = target.flags
      const before = entries.map(statusOf)
      const withdrawn = entries.map(isWithdrawn)
      target.flags = expectedState(previousState, action)
      const changed = JSON.stringify(previousState) !== JSON.stringify(target.flags)
      // Each entry that left the public, or came back, has a place in the list of changes.
      sequence += entries.filter((entry, index) => isWithdrawn(entry) !== withdrawn[index]).length
      const affected = {
        entries: entries.filter((entry, index) => statusOf(entry) !== before[index]).length,
        actors: changed && !('slug' in target) ? 1 : 0,
      }
      return { previousState, state: target.flags, changed, affected }
    },
    stats() {
      const shown = entries.filter(entry => !isWithdrawn(entry))
      const findings = shown.flatMap(entry => entry.findings).filter(isShown)
      const relations = new Set(shown.flatMap(entry => entry.relations.map(({ relation }) => relation)))
      return {
        externalInteractions: interactions,
        observedActors: actors.length,
        recurrentActors: actors.filter(({ observations }) => observations >= 2).length,
        entries: shown.length,
        revisions: shown.reduce((count, { revisions }) => count + revisions.length, 0),
        verifications: findings.filter(({ kind }) => kind === 'VERIFY').length,
        contradictions: findings.filter(({ kind }) => kind === 'CONTRADICT').length,
        relations: [...relations].filter(isRelationShown).length,
      }
    },
  }
}

export const newActor = (id: string, token: string, name: string | null): ModelActor => ({
  id,
  token,
  name,
  flags: NO_FLAGS,
  observations: 0,
})
