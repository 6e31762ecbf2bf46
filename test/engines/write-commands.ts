import type { ModerationAction } from '../../src/contract/vocabulary.ts'
import { as, type Body, type Command, entryView, expectedEntry, idOf, only, type Scene } from './command.ts'
import {
  assertReadable,
  assertWritable,
  assertWriter,
  isWithdrawn,
  latestOf,
  type ModelActor,
  type ModelEntry,
  type ModelFinding,
  type ModelRelation,
  type ModelRevision,
  newActor,
  Refusal,
  refuseUnless,
  type Text,
} from './model.ts'
import { asAdmin } from './pair.ts'

export const issue = (scene: Scene, name: string | null): Command => ({
  method: 'POST',
  path: '/api/actors',
  sending: { body: name === null ? {} : { declaredName: name } },
  apply({ model }, body) {
    const actor = newActor(String((body.actor as Body | undefined)?.id), String(body.token), name)
    model.actors.push(actor)
    scene.actors.push(actor)
    return name
  },
  view: body => (body.actor as { declared: { name: string | null } }).declared.name,
})

const cite = (source: ModelRevision | undefined): void =>
  refuseUnless(source !== undefined && !isWithdrawn(source.entry), 'SOURCE_NOT_FOUND')
const sourcesOf = (sources: readonly (ModelRevision | undefined)[]) =>
  sources.map(source => ({ entryId: idOf(source?.entry), revisionId: idOf(source) }))

export const publish = (
  scene: Scene,
  by: ModelActor | undefined,
  text: Text,
  tags: readonly string[],
  sources: readonly (ModelRevision | undefined)[],
): Command => ({
  method: 'POST',
  path: '/api/entries',
  sending: as(by, { ...text, tags, sources: sourcesOf(sources) }),
  apply({ model, at }, body) {
    const actor = assertWriter(by)
    for (const source of sources) cite(source)
    const entry: ModelEntry = {
      ...{ ...text, id: String(body.id), slug: String(body.slug), actor, tags, updatedAt: at },
      ...{
        flags: { hidden: false, quarantined: false, blocked: false },
        revisions: [],
        findings: [],
        relations: [],
        rows: [],
      },
    }
    entry.revisions.push({ id: String(body.currentRevisionId), entry, ordinal: 1 })
    model.entries.push(entry)
    scene.entries.push(entry)
    model.write({ action: 'CREATE', actor, entry, revision: latestOf(entry) })
    return expectedEntry(entry)
  },
  view: entryView,
})

export const revise = (
  by: ModelActor | undefined,
  entry: ModelEntry | undefined,
  previous: ModelRevision | undefined,
  changeType: string,
  text: Text,
  sources: readonly (ModelRevision | undefined)[],
): Command => ({
  method: 'POST',
  path: `/api/entries/${idOf(entry)}/revisions`,
  sending: as(by, {
    ...{ ...text, previousRevisionId: idOf(previous), changeType, rationale: 'r', sources: sourcesOf(sources) },
  }),
  apply({ model, at }, body) {
    const actor = assertWriter(by)
    const open = assertWritable(entry)
    refuseUnless(previous === latestOf(open), 'STALE_REVISION')
    for (const source of sources) cite(source)
    Object.assign(open, text, { updatedAt: at })
    open.revisions.push({ id: String(body.currentRevisionId), entry: open, ordinal: open.revisions.length + 1 })
    model.write({ action: changeType, actor, entry: open, revision: latestOf(open) })
    return expectedEntry(open)
  },
  view: entryView,
})

/** A verification, or with `source` (null: none) a contradiction. */
export const judge = (
  by: ModelActor | undefined,
  entry: ModelEntry | undefined,
  revision: ModelRevision | undefined,
  source?: ModelEntry | 'unknown' | null,
): Command => {
  const kind = source === undefined ? 'VERIFY' : 'CONTRADICT'
  const found = source === 'unknown' ? undefined : (source ?? undefined)
  const named = source ? { sourceEntryId: idOf(found) } : {}
  const verdict = kind === 'VERIFY' ? { result: 'SUPPORTED', confidence: 0.5 } : named
  return {
    method: 'POST',
    path: `/api/entries/${idOf(entry)}/${kind.toLowerCase()}`,
    sending: as(by, { revisionId: idOf(revision), rationale: 'r', ...verdict }),
    apply({ model }, body) {
      const actor = assertWriter(by)
      const open = assertWritable(entry)
      if (revision?.entry !== open) throw new Refusal('REVISION_NOT_FOUND')
      refuseUnless(!source || (found !== undefined && !isWithdrawn(found)), 'SOURCE_NOT_FOUND')
      const ordinal = open.findings.length + 1
      const finding: ModelFinding = { id: String(body.id), kind, ordinal, revision, actor, source: found }
      open.findings.push(finding)
      model.write({ action: kind, actor, entry: open, revision })
      return { entryId: open.id, revisionId: revision.id, actorId: actor.id }
    },
    view: only('entryId', 'revisionId', 'actorId'),
  }
}

export const relate = (
  by: ModelActor | undefined,
  source: ModelEntry | undefined,
  target: ModelEntry | undefined,
  relationType: string,
): Command => ({
  method: 'POST',
  path: '/api/relations',
  sending: as(by, { sourceEntryId: idOf(source), targetEntryId: idOf(target), relationType, rationale: 'r' }),
  apply({ model }, body) {
    const actor = assertWriter(by)
    const ends = [assertReadable(source), assertReadable(target)]
    const [one, other] = ends.map(assertWritable) as [ModelEntry, ModelEntry]
    refuseUnless(one !== other, 'SELF_RELATION')
    const relation: ModelRelation = { id: String(body.id), source: one, target: other, actor }
    for (const end of ends) end.relations.push({ ordinal: end.relations.length + 1, relation })
    model.write({ action: 'CONNECT', actor, entry: one, revision: undefined, relation })
    return { sourceEntryId: one.id, targetEntryId: other.id, relationType, actorId: actor.id }
  },
  view: only('sourceEntryId', 'targetEntryId', 'relationType', 'actorId'),
})

export const moderate = (target: ModelEntry | ModelActor | undefined, action: ModerationAction): Command => ({
  method: 'POST',
  path: '/api/admin/moderate',
  sending: asAdmin({
    targetType: target !== undefined && !('slug' in target) ? 'ACTOR' : 'ENTRY',
    ...{ targetId: idOf(target), action, reason: 'r' },
  }),
  apply({ model }) {
    if (target === undefined) throw new Refusal('TARGET_NOT_FOUND')
    return model.moderate(target, action)
  },
  view: only('previousState', 'state', 'changed', 'affected'),
})
