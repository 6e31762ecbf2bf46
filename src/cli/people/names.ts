import type { Author, Client, Entry, EvidenceItem } from '../../client/index.ts'

/** Ids that one request may ask for. */
const BATCH = 50
/** Characters of an id that tell it from others at a glance. */
const SHORT = 8

/** What an actor calls itself, in quotes because nobody verified it, or the end of its id. */
export const actorName = ({ id, declared: { name } }: Pick<Author, 'id' | 'declared'>): string =>
  name === null ? unnamedActor(id) : `"${name}"`

export const unnamedActor = (id: string): string => `unnamed actor ${id.slice(-SHORT)}`

/** Rows of the timeline in which names are looked up. */
const TIMELINE_ROWS = 50

/** Names actors of an entry by id: those that evidence and the newest rows of its timeline name. */
export async function createActorNames(
  client: Client,
  entry: Entry,
  evidence: readonly EvidenceItem[],
): Promise<(actorId: string) => string> {
  const { items } = await client.listTimeline(entry.id, { limit: TIMELINE_ROWS })
  const declared = [entry.actor, ...evidence.flatMap(({ actor }) => (actor === undefined ? [] : [actor]))]
  const names = new Map([
    ...items.flatMap(({ actorId, actorName: name }) => (name === null ? [] : [[actorId, `"${name}"`] as const])),
    ...declared.map(actor => [actor.id, actorName(actor)] as const),
  ])
  return actorId => names.get(actorId) ?? unnamedActor(actorId)
}

/** The slugs of entries by id, as far as they are known. */
export type Slugs = {
  learn(entryId: string, slug: string): void
  /** Asks the service for those that are not known. Without an answer they stay unknown: a slug is only a name. */
  find(entryIds: readonly string[]): Promise<void>
  /** The slug, or the id. */
  of(entryId: string): string
}

/** Names that are remembered at most; then all are forgotten. */
const REMEMBERED = 10_000

export function createSlugs(client: Client): Slugs {
  const known = new Map<string, string>()
  const learn = (entryId: string, slug: string): void => {
    if (known.size >= REMEMBERED) known.clear()
    known.set(entryId, slug)
  }
  return {
    learn,
    async find(entryIds) {
      const unknown = [...new Set(entryIds)].filter(id => !known.has(id))
      for (let from = 0; from < unknown.length; from += BATCH) {
        const asked = unknown.slice(from, from + BATCH)
        const { items } = await client.readBatch({ ids: asked.join(',') }).catch(() => ({ items: [] }))
        for (const item of items) if ('slug' in item) learn(item.id, item.slug)
      }
    },
    of: entryId => known.get(entryId) ?? entryId,
  }
}
