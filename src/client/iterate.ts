import { clientError } from './problem.ts'
import type {
  Change,
  ChangeList,
  ChangesQuery,
  CursorQuery,
  Entry,
  EntryList,
  EntryQuery,
  Evidence,
} from './resources.ts'
import type { CallOptions } from './settings.ts'
import type { EvidenceItem, Iterators, Methods } from './table.ts'

const PAGE = 50
const OFFSET_MAX = 10_000

/** Iterates the lists of the service row by row. Reads a page when the caller needs its first row. */
export function iteratorsOver(methods: Methods): Iterators {
  const ofEntry =
    <T>(list: (slug: string, query: CursorQuery, options?: CallOptions) => Promise<Page<T>>) =>
    (slug: string, query?: CursorQuery, options?: CallOptions) =>
      byCursor(asked => list(slug, asked, options), query)
  return {
    listEntries: (query, options) => byOffset(asked => methods.listEntries(asked, options), query),
    searchEntries: (query, options) => byOffset(asked => methods.searchEntries(asked, options), query),
    listRevisions: ofEntry(methods.listRevisions),
    listRelations: ofEntry(methods.listRelations),
    listTimeline: ofEntry(methods.listTimeline),
    listEvidence: ofEntry(async (slug, query, options) =>
      evidencePage(await methods.listEvidence(slug, query, options)),
    ),
    readActor: (id, query, options) => byCursor(asked => methods.readActor(id, asked, options), query),
    listActivity: (query, options) => byCursor(asked => methods.listActivity(asked, options), query),
    listChanges: (query, options) => bySequence(asked => methods.listChanges(asked, options), query),
  }
}

type Page<T> = { items: T[]; nextCursor: string | null }

async function* byCursor<T>(
  read: (query: CursorQuery) => Promise<Page<T>>,
  query: CursorQuery = {},
): AsyncGenerator<T, void, undefined> {
  let before: string | null | undefined = query.before
  do {
    const page: Page<T> = await read({ limit: PAGE, ...query, ...(before === undefined ? {} : { before }) })
    yield* page.items
    before = page.nextCursor
  } while (before !== null)
}

async function* bySequence(
  read: (query: ChangesQuery) => Promise<ChangeList>,
  query: ChangesQuery = {},
): AsyncGenerator<Change, void, undefined> {
  let after = query.after
  for (;;) {
    const { items, sequence, more } = await read({ limit: PAGE, ...query, ...(after === undefined ? {} : { after }) })
    yield* items
    if (!more) return
    after = sequence
  }
}

/**
 * Iterates a list by offset. Writes during the iteration shift the list, so repeated entries are skipped. Throws BEYOND_OFFSET past
 * `OFFSET_MAX`.
 */
async function* byOffset(
  read: (query: EntryQuery) => Promise<EntryList>,
  query: EntryQuery = {},
): AsyncGenerator<Entry, void, undefined> {
  const limit = query.limit ?? PAGE
  const seen = new Set<string>()
  for (let offset = query.offset ?? 0; ; offset += limit) {
    if (offset > OFFSET_MAX) {
      const sentence = `The service lists no entries beyond offset ${OFFSET_MAX}; narrow the list by q or tag.`
      throw clientError('BEYOND_OFFSET', sentence)
    }
    const { items } = await read({ ...query, limit, offset })
    for (const entry of items) {
      if (seen.has(entry.id)) continue
      seen.add(entry.id)
      yield entry
    }
    if (items.length < limit) return
  }
}

/** The evidence of a page, contradictions first, each item with its `kind`. */
export const evidenceItems = ({
  verifications,
  contradictions,
}: Pick<Evidence, 'verifications' | 'contradictions'>): EvidenceItem[] => [
  ...contradictions.map(row => ({ ...row, kind: 'contradiction' as const })),
  ...verifications.map(row => ({ ...row, kind: 'verification' as const })),
]

/** Merges both kinds of evidence of a page, newest first. The service divides evidence into pages in this order. */
function evidencePage(evidence: Evidence): Page<EvidenceItem> {
  const older = (one: EvidenceItem, other: EvidenceItem) =>
    one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt
  const items = evidenceItems(evidence).sort((one, other) => (older(one, other) ? 1 : -1))
  return { items, nextCursor: evidence.nextCursor }
}
