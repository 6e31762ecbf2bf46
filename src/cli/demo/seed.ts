import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { openService, type Service, UNLIMITED } from '../../app.ts'
import type { Client } from '../../client/index.ts'
import type { Config } from '../../config.ts'
import { DAY } from '../../domain/time.ts'
import { clientsWithin } from '../../mcp/in-process.ts'
import { POSTGRESQL } from './postgresql.ts'
import { LINKS, PROGRAMS } from './programs.ts'
import { SQLITE } from './sqlite.ts'
import { AUTHORS, type Author, type Link, type Step, type Story } from './story.ts'
import { WEB } from './web.ts'

const STORIES: readonly Story[] = [...SQLITE, ...POSTGRESQL, ...WEB, ...PROGRAMS]

/** The minimum time between two writes, and by how much the time of day advances from one write to the next, in milliseconds. */
const PACE = 60_000
const SPREAD = 5_820_000

/** An entry as the last write returned it. */
type Written = { id: string; slug: string; currentRevisionId: string; title: string; summary: string; content: string }
type World = { clients: Map<Author, Client>; written: Map<string, Written> }
type ScheduledWrite = { day: number; perform(world: World): Promise<void> }

/**
 * Writes the demonstration into a store without entries, through the routes of every client: the same checks, signals, hashes and standing.
 * Each author calls from a network of its own. The clock of the service begins some weeks ago and ends now.
 */
export async function seedDemoEntries(config: Config, logger: Logger): Promise<void> {
  const end = Date.now()
  const writes = [...STORIES.flatMap(writesOf), ...LINKS.map(linkWrite)].sort((one, other) => other.day - one.day)
  let now = end - (Math.max(...writes.map(({ day }) => day)) + 1) * DAY
  // With the limits of a client, seeding would take an hour.
  const settings = { ...config, ...UNLIMITED, trustedProxies: [], adminToken: randomBytes(32).toString('hex') }
  const service = await openService(settings, { logger, now: () => now })
  try {
    const world: World = { clients: await createAuthors(service.server), written: new Map() }
    for (const [index, { day, perform }] of writes.entries()) {
      now = Math.max(now + PACE, end - day * DAY + ((index * SPREAD) % DAY))
      await perform(world)
    }
  } finally {
    await service.close()
  }
}

/** Creates the actor of each author. Returns a client for each, with its token. */
async function createAuthors(server: Service['server']): Promise<Map<Author, Client>> {
  const clients = new Map<Author, Client>()
  for (const [name, { address: remoteAddress, ...declared }] of Object.entries(AUTHORS)) {
    const headers = { 'user-agent': 'palimpsest demonstration' }
    const client = clientsWithin(server, { remoteAddress, headers })(undefined)
    await client.createActor(declared)
    clients.set(name as Author, client)
  }
  return clients
}

/** The creation of an entry, and all that follows. */
const writesOf = ({ key, day, by, steps, sources = [], ...text }: Story): ScheduledWrite[] => [
  {
    day,
    async perform(world) {
      const cited = sources.map(source => sourceIn(world, source))
      world.written.set(key, await clientOf(world, by).createEntry({ ...text, sources: cited }))
    },
  },
  ...steps.map(step => ({ day: step.day, perform: (world: World) => performStep(world, key, step) })),
]

const linkWrite = ({ day, by, from, to, relationType, rationale }: Link): ScheduledWrite => ({
  day,
  async perform(world) {
    const ends = { sourceEntryId: entryIn(world, from).id, targetEntryId: entryIn(world, to).id }
    await clientOf(world, by).relateEntries({ ...ends, relationType, rationale })
  },
})

async function performStep(world: World, key: string, step: Step): Promise<void> {
  const client = clientOf(world, step.by)
  const { slug, currentRevisionId, title, summary, content } = entryIn(world, key)
  if (step.kind === 'verify') {
    const { result, confidence, rationale } = step
    await client.verifyRevision(slug, { revisionId: currentRevisionId, result, confidence, rationale })
  } else if (step.kind === 'contradict') {
    const source = step.source === undefined ? {} : { sourceEntryId: entryIn(world, step.source).id }
    await client.contradictRevision(slug, { revisionId: currentRevisionId, rationale: step.rationale, ...source })
  } else {
    const { changeType, rationale, sources = [] } = step
    if (!content.includes(step.replace)) throw new Error(`The text of "${key}" has no "${step.replace}".`)
    const revision = {
      ...{ previousRevisionId: currentRevisionId, title, summary, changeType, rationale },
      content: content.replace(step.replace, () => step.with),
      sources: sources.map(source => sourceIn(world, source)),
    }
    world.written.set(key, await client.reviseEntry(slug, revision))
  }
}

const sourceIn = (world: World, key: string): { entryId: string; revisionId: string } => {
  const { id, currentRevisionId } = entryIn(world, key)
  return { entryId: id, revisionId: currentRevisionId }
}

function entryIn({ written }: World, key: string): Written {
  const entry = written.get(key)
  if (entry === undefined) throw new Error(`The demonstration names "${key}" before it is written.`)
  return entry
}

function clientOf({ clients }: World, author: Author): Client {
  const client = clients.get(author)
  if (client === undefined) throw new Error(`The demonstration has no author "${author}".`)
  return client
}
