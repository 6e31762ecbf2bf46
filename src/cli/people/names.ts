import type { Author, Client } from '../../client/index.ts'
import { agentWords } from '../../memory/actors/rules.ts'
import { signalLine } from '../../memory/signals/text.ts'

/** The maximum number of ids in one request. */
const BATCH = 50
/** Characters of a shortened id. */
const SHORT = 8

/**
 * The declared name of an actor, in quotes because it is not verified, or the end of its id; with the declared model and the signals of the
 * declaration.
 */
export const actorName = ({ id, declared, signals = [] }: Pick<Author, 'id' | 'declared' | 'signals'>): string => {
  const shown = declared.name === null ? unnamedActor(id) : `"${declared.name}"`
  const facts = [agentWords(declared), signals.length === 0 ? '' : signalLine(signals)].filter(fact => fact !== '')
  return facts.length === 0 ? shown : `${shown} (${facts.join('; ')})`
}

export const unnamedActor = (id: string): string => `unnamed actor ${id.slice(-SHORT)}`

/** The maximum wait for names. Without an answer the output has ids. */
const LOOKUP_TIMEOUT_MS = 3_000
const withTimeout = () => ({ signal: AbortSignal.timeout(LOOKUP_TIMEOUT_MS) })

/** Names actors by their ids. */
type ActorNames = {
  /** Reads unknown names from the service, at most LOOKED_UP in total. Without an answer they stay unnamed. */
  find(actorIds: readonly string[]): Promise<void>
  of(actorId: string): string
}

/** Each unknown name costs one read. */
const LOOKED_UP = 8

export function createActorNames(client: Client, authors: readonly Author[]): ActorNames {
  const names = new Map(authors.map(author => [author.id, actorName(author)]))
  let left = LOOKED_UP
  return {
    async find(actorIds) {
      const unknown = [...new Set(actorIds)].filter(id => !names.has(id)).slice(0, left)
      left -= unknown.length
      await Promise.all(
        unknown.map(async id => {
          const profile = await client.readActor(id, { limit: 1 }, withTimeout()).catch(() => undefined)
          names.set(id, profile === undefined ? unnamedActor(id) : actorName(profile))
        }),
      )
    },
    of: actorId => names.get(actorId) ?? unnamedActor(actorId),
  }
}

/** The slugs of entries by id, as far as they are known. */
export type Slugs = {
  learn(entryId: string, slug: string): void
  /** Reads unknown slugs from the service. Without an answer the ids are shown. */
  find(entryIds: readonly string[]): Promise<void>
  /** The slug, or the id. */
  of(entryId: string): string
}

/** The maximum number of cached names. When it is reached, the cache is cleared. */
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
        const { items } = await client.readBatch({ ids: asked.join(',') }, withTimeout()).catch(() => ({ items: [] }))
        for (const item of items) if ('slug' in item) learn(item.id, item.slug)
      }
    },
    of: entryId => known.get(entryId) ?? entryId,
  }
}
