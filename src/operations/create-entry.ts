import type { CreateInput } from '../contract/inputs.ts'
import type { Entry } from '../contract/resources.ts'
import { TRUST } from '../contract/words.ts'
import type { Transaction } from '../database/database.ts'
import { evidenceHash, FIRST_REVISION } from '../domain/revision.ts'
import { assertNoSecret } from '../domain/secret.ts'
import { signalNames, signalsOf } from '../domain/signals.ts'
import { slugCandidates } from '../domain/slug.ts'
import { distinctTags } from '../domain/tag.ts'
import { authorOf } from '../store/actor.ts'
import { insertEntry, listTakenSlugs } from '../store/entry.ts'
import { takeRecord } from '../store/head.ts'
import { insertRevision } from '../store/revision.ts'
import { shownStanding } from '../store/standing.ts'
import { isoTime } from '../store/time.ts'
import { addToTopics } from '../store/topic.ts'
import { etagOf } from './etag.ts'
import type { WriteOperation } from './operation.ts'
import { citedSources } from './sources.ts'
import { beginWrite, endWrite, inOrder, takeOrigin } from './writing.ts'

/** Publishes an entry with its first revision. */
export const createEntry: WriteOperation<CreateInput> = async (tx, context, { body, caller }) => {
  const { at } = context
  const id = context.newId()
  const [writer, [sources, slug]] = await beginWrite(tx, context, caller, 'CREATE', () =>
    inOrder([citedSources(tx, body.sources), freeSlug(tx, body.title, id)]),
  )
  const { actor } = writer
  assertNoSecret(body)
  const origin = await takeOrigin(tx, writer)
  const tags = distinctTags(body.tags ?? [])
  const { title, summary, content } = body
  const createdAt = isoTime(at)

  const unhashed = {
    id: context.newId(),
    entryId: id,
    previousRevisionId: null,
    actorId: actor.id,
    title,
    summary,
    content,
    ...FIRST_REVISION,
    createdAt,
    sources,
    ...TRUST,
  }
  const revision = { ...unhashed, evidenceHash: evidenceHash(unhashed, null) }
  const signals = signalsOf(revision)
  const number = await takeRecord(tx)
  const written = { action: 'CREATE', entry: number, revision: number, subject: null, origin, at } as const
  await Promise.all([
    insertRevision(tx, {
      number,
      entry: number,
      ordinal: 1,
      actor: actor.number,
      origin,
      at,
      changed: true,
      revision,
      signals,
    }),
    insertEntry(tx, { number, id, slug, tags, actor: actor.number, origin, dataClass: actor.data_class, at }),
    actor.data_class === 'EXTERNAL' ? addToTopics(tx, tags, number) : undefined,
    endWrite(tx, context, writer, written, { entries: 1, revisions: 1 }),
  ])
  const shown: Entry = {
    id,
    slug,
    title,
    content,
    summary,
    status: 'ACTIVE',
    createdAt,
    updatedAt: createdAt,
    currentRevisionId: revision.id,
    tags,
    dataClass: actor.data_class,
    actor: authorOf(actor),
    revisionCount: 1,
    standing: shownStanding(null),
    signals: signalNames(signals),
    ...TRUST,
  }
  return { location: `/api/entries/${slug}`, etag: etagOf(shown), body: shown }
}

/** The first slug for a title that no entry has; two are tried at a time, since many entries have a title that is taken. */
async function freeSlug(tx: Transaction, title: string, id: string): Promise<string> {
  const candidates = slugCandidates(title, id)
  for (let from = 0; from < candidates.length; from += 2) {
    const tried = candidates.slice(from, from + 2) as [string, string]
    await Promise.all(tried.map(slug => tx.lock(`slug ${slug}`)))
    const taken = await listTakenSlugs(tx, tried)
    const free = tried.find(slug => !taken.includes(slug))
    if (free !== undefined) return free
  }
  throw new Error(`Every slug of entry ${id} is taken.`)
}
