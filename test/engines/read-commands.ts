import type { Sending } from '../contract/wire.ts'
import { as, type Body, type Command, entryView, expectedEntry, idOf, only } from './command.ts'
import {
  assertReadable,
  isWithdrawn,
  latestOf,
  type ModelActor,
  type ModelEntry,
  type ModelFinding,
  type ModelRevision,
  pageOfFindings,
  pageOfRelations,
  pageOfRevisions,
  Refusal,
  refuseUnless,
} from './model.ts'

export const readEntry = (by: ModelActor | undefined, entry: ModelEntry | undefined, bySlug: boolean): Command => ({
  method: 'GET',
  path: `/api/entries/${bySlug ? (entry?.slug ?? 'no-such-slug') : idOf(entry)}`,
  sending: as(by),
  apply({ model, anonymous, at }) {
    const readable = assertReadable(entry)
    model.read(by ?? anonymous, at, readable)
    return expectedEntry(readable)
  },
  view: entryView,
})

export const readRevision = (
  by: ModelActor | undefined,
  entry: ModelEntry | undefined,
  revision: ModelRevision | undefined,
): Command => ({
  method: 'GET',
  path: `/api/entries/${idOf(entry)}/revisions/${idOf(revision)}`,
  sending: as(by),
  apply({ model, anonymous, at }) {
    const readable = assertReadable(entry)
    if (revision?.entry !== readable) throw new Refusal('REVISION_NOT_FOUND')
    model.read(by ?? anonymous, at, readable, revision)
    const previous = readable.revisions[revision.ordinal - 2]
    return { id: revision.id, entryId: readable.id, previousRevisionId: previous?.id ?? null }
  },
  view: only('id', 'entryId', 'previousRevisionId'),
})

type Rows = { items: Body[]; nextCursor: string | null }
const idsView = (body: Body): unknown => {
  const { items, nextCursor } = body as Rows
  return { ids: items.map(({ id }) => id), nextCursor }
}
const rowsView = (body: Body): unknown => {
  const { items, nextCursor } = body as Rows
  return {
    items: items.map(only('sequence', 'action', 'actorId', 'actorName', 'entryId', 'revisionId')),
    nextCursor,
  }
}
type Findings = { verifications: Body[]; contradictions: Body[]; nextCursor: string | null }
const findingsView = (body: Body): unknown => {
  const { verifications, contradictions, nextCursor } = body as Findings
  return {
    verifications: verifications.map(({ id }) => id),
    contradictions: contradictions.map(only('id', 'sourceEntryId')),
    nextCursor,
  }
}

export const PARTS = ['revisions', 'evidence', 'relations', 'timeline'] as const
export type Part = (typeof PARTS)[number]
export type Page = { before: string | undefined; limit: number }

/** A page of something under an entry. */
export const listPart = (
  by: ModelActor | undefined,
  entry: ModelEntry | undefined,
  part: Part,
  page: Page,
): Command => ({
  method: 'GET',
  path: `/api/entries/${idOf(entry)}/${part}?limit=${page.limit}${page.before === undefined ? '' : `&before=${page.before}`}`,
  sending: as(by),
  apply({ model, anonymous, at }) {
    refuseUnless(page.before === undefined || /^\d{1,19}$/.test(page.before), 'INVALID_BEFORE')
    const readable = assertReadable(entry)
    model.read(by ?? anonymous, at, readable)
    const wanted = { before: page.before === undefined ? undefined : Number(page.before), limit: page.limit }
    if (part === 'timeline') return model.feed(wanted, readable)
    if (part === 'evidence') {
      const { items, nextCursor } = pageOfFindings(readable, wanted)
      const of = (kind: string): ModelFinding[] => items.filter(item => item.kind === kind)
      const nameable = (source: ModelEntry | undefined): string | null =>
        source === undefined || isWithdrawn(source) ? null : source.id
      const contradictions = of('CONTRADICT').map(({ id, source }) => ({ id, sourceEntryId: nameable(source) }))
      return { verifications: of('VERIFY').map(({ id }) => id), contradictions, nextCursor }
    }
    if (part === 'revisions') {
      const { items, nextCursor } = pageOfRevisions(readable, wanted)
      return { ids: items.map(({ id }) => id), nextCursor }
    }
    const { items, nextCursor } = pageOfRelations(readable, wanted)
    return { ids: items.map(({ relation }) => relation.id), nextCursor }
  },
  view: part === 'timeline' ? rowsView : part === 'evidence' ? findingsView : idsView,
})

export const listFeed = (page: Page): Command => ({
  method: 'GET',
  path: `/api/activity?limit=${page.limit}${page.before === undefined ? '' : `&before=${page.before}`}`,
  sending: {},
  apply: ({ model }) =>
    model.feed({ before: page.before === undefined ? undefined : Number(page.before), limit: page.limit }),
  view: rowsView,
})

export const readStats = (): Command => {
  const names = ['externalInteractions', 'observedActors', 'recurrentActors', 'entries', 'revisions', 'verifications']
  return {
    method: 'GET',
    path: '/api/stats',
    sending: {},
    apply: ({ model }) => model.stats(),
    view: only(...names, 'contradictions', 'relations'),
  }
}

export type Search = {
  words: readonly string[]
  tag: string
  sort: 'recent' | 'evolution'
  limit: number
  offset: number
}

const known = new WeakMap<ModelRevision, string[]>()
const wordsIn = (entry: ModelEntry): string[] => {
  const { title, summary, content, tags } = entry
  const words =
    known.get(latestOf(entry)) ??
    [title, summary, content, ...tags]
      .join(' ')
      .toLowerCase()
      .match(/[a-z0-9]+/g)
  known.set(latestOf(entry), words ?? [])
  return words ?? []
}
const tagOf = (tag: string): string => tag.trim().toLowerCase().replaceAll(/ +/g, ' ')

/** Entries with all of the words, the last also as the beginning of one, and with the tag. No words and no tag: all entries. */
export const search = (by: ModelActor | undefined, { words, tag, sort, limit, offset }: Search): Command => ({
  method: 'GET',
  path: `/api/search?${new URLSearchParams({ q: words.join(' '), tag, sort, limit: `${limit}`, offset: `${offset}` })}`,
  sending: as(by),
  apply({ model, anonymous, at }) {
    const wanted = (entry: ModelEntry): boolean => {
      const there = wordsIn(entry)
      const has = (word: string, index: number): boolean =>
        there.includes(word) ||
        (index === words.length - 1 && word.length >= 3 && there.some(one => one.startsWith(word)))
      return (
        words.every((word, index) => has(word.toLowerCase(), index)) &&
        (tag === '' || entry.tags.some(one => tagOf(one) === tagOf(tag)))
      )
    }
    const found = model.find(wanted, sort)
    model.read(by ?? anonymous, at)
    return found.slice(offset, offset + limit).map(({ id }) => id)
  },
  // Where no entry has all words, the best partial matches are listed, of which the model says nothing.
  view: ({ items, match = 1 }) => (match === 1 ? (items as Body[]).map(({ id }) => id) : []),
})

/** A malformed request, of any sender. */
export const malformed = (method: string, path: string, sending: Sending, code: Refusal['code']): Command => ({
  ...{ method, path, sending },
  apply() {
    throw new Refusal(code)
  },
  view: () => undefined,
})
