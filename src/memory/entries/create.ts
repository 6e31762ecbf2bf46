import type { Hints } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { authorColumnsOf } from '../actors/rows.ts'
import { assertNoSecret } from '../actors/rules.ts'
import { addToHead } from '../head-rows.ts'
import type { Prepared, WriteOperation, WriteRequest } from '../operation.ts'
import { signalsOf } from '../signals/signals.ts'
import { isoTime } from '../values.ts'
import { beginWrite, endWrite, inOrder, takeOrigin } from '../write.ts'
import { citedSources, etagOf, insertEntry, insertRevision, lockFreeSlug, toEntry } from './rows.ts'
import { distinctTags, evidenceHash, FIRST_REVISION, slugCandidates } from './rules.ts'
import { addToTopics } from './topic-rows.ts'

/** Computes the signals of an entry, which take long. */
export const prepareEntry = ({ body }: WriteRequest<'createEntry'>): Prepared => ({
  signals: signalsOf({ ...FIRST_REVISION, ...body, tags: distinctTags(body.tags ?? []) }),
})

/** Publishes an entry with its first revision. With `similar`, the answer has hints. */
export const createEntry: WriteOperation<'createEntry'> = async (tx, context, request) => {
  const { body, caller, similar } = request
  const { at } = context
  const id = context.newId()
  const [writer, [sources, slug]] = await beginWrite(tx, context, caller, ['CREATE'], () =>
    inOrder([citedSources(tx, body.sources), lockFreeSlug(tx, slugCandidates(body.title, id))]),
  )
  if (slug === undefined) throw new Error(`Every slug of entry ${id} is taken.`)
  const { actor } = writer
  assertNoSecret(body)
  const origin = await takeOrigin(tx, writer)
  const tags = distinctTags(body.tags ?? [])
  const { title, summary, content } = body
  const ids = { id: context.newId(), entryId: id, previousRevisionId: null, actorId: actor.id }
  const texts = { title, summary, content, ...FIRST_REVISION }
  const unhashed = { ...ids, ...texts, createdAt: isoTime(at), sources, ...TRUST }
  const revision = { ...unhashed, evidenceHash: evidenceHash(unhashed, null) }
  const { signals } = request.prepared ?? prepareEntry(request)
  const { record: number } = await addToHead(tx, { record: 1 })
  const place = { number, entry: number, actor: actor.number, origin, at }
  const written = { action: 'CREATE', entry: number, revision: number, subject: null, origin, at } as const
  await Promise.all([
    insertRevision(tx, { ...place, ordinal: 1, changed: true, revision, signals }),
    insertEntry(tx, { ...place, id, slug, tags, dataClass: actor.data_class }),
    actor.data_class === 'EXTERNAL' && tags.length > 0 ? addToTopics(tx, tags, number) : undefined,
    endWrite(tx, context, writer, written, { entries: 1, revisions: 1 }),
  ])
  const author = authorColumnsOf(actor)
  const row = {
    ...{ id, slug, title, summary, content, signals, tags: JSON.stringify(tags), data_class: actor.data_class },
    ...{ created_at: at, updated_at: at, blocked: 0, revision_id: revision.id, revisions: 1, unflagged: null },
    ...{ standing: null, changed_by_name: null, ...author },
  }
  const shown = toEntry(row, author)
  const hints: Hints | undefined = similar === undefined ? undefined : { similar, signals: shown.signals }
  return {
    location: `/api/entries/${slug}`,
    etag: etagOf(shown),
    body: hints === undefined ? shown : { ...shown, hints },
  }
}
