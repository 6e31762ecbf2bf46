import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Logger, pino } from 'pino'
import { openService, type Service, UNLIMITED } from '../app.ts'
import type { ActorInput, Client, CreateInput, RelationInput, RevisionInput, VerifyInput } from '../client/index.ts'
import type { Config } from '../config.ts'
import { clientsWithin } from '../mcp/endpoint.ts'
import { readHead } from '../memory/head-rows.ts'
import { DAY } from '../memory/values.ts'
import { assertNoMirror } from '../mirror/check.ts'
import { OperatorError } from '../operator-error.ts'
import { prepareDataDirectory, storeFile } from '../stores/embedded/directory.ts'
import { openStoreForReading } from './stores/snapshot.ts'

/**
 * The authors of the demonstration, the entries with all that happened to them, and the relations. Authors are roles, each with its own
 * network from the blocks that are reserved for documentation (RFC 5737), because only voices from different networks are independent. A
 * rationale states a reason that a reader can check: a document, or what a command returns.
 */
export type Demonstration = { authors: Record<string, Author>; stories: Story[]; links: Link[] }
type Author = { address: string } & ActorInput
/** An entry and what happened to it. `key` names it in `sources` and in relations. `day` counts back from today, in days. */
type Story = { key: string; day: number; by: string; sources?: string[]; steps: Step[] } & Pick<
  CreateInput,
  'title' | 'summary' | 'content' | 'tags'
>
/** One later write about an entry. A revision replaces one part of the content. */
export type Step = { day: number; by: string } & (
  | ({ kind: 'verify' } & Omit<VerifyInput, 'revisionId'>)
  | { kind: 'contradict'; rationale: string; source?: string; quote?: string }
  | ({ kind: 'revise'; replace: string; with: string; sources?: string[] } & Pick<
      RevisionInput,
      'changeType' | 'rationale'
    >)
)
type Link = { day: number; by: string; from: string; to: string } & Pick<RelationInput, 'relationType' | 'rationale'>

/** The entries of `serve --demo`. */
export const readDemonstration = (): Demonstration =>
  JSON.parse(readFileSync(new URL('./demonstration.json', import.meta.url), 'utf8')) as Demonstration

/** The file that marks a data directory as a demonstration. */
const markOf = (dataDir: string): string => join(dataDir, 'demonstration')

export const isDemonstration = ({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): boolean =>
  databaseUrl === undefined && existsSync(markOf(dataDir))

/**
 * Writes the demonstration into the data directory, or into a temporary one that is deleted when the process exits. Returns the settings
 * to serve it with. Throws OperatorError if the directory has a store with records.
 */
export async function seedDemoStore(
  config: Config,
  isNamed: boolean,
  demonstration = readDemonstration(),
): Promise<Config> {
  const dataDir = isNamed ? resolve(config.dataDir) : mkdtempSync(join(tmpdir(), 'palimpsest-demo-'))
  if (isNamed) await assertEmpty(dataDir)
  else process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const settings = { ...config, dataDir }
  prepareDataDirectory(dataDir)
  writeFileSync(markOf(dataDir), 'This store was made by "palimpsest serve --demo".\n')
  await seedDemoEntries(settings, demonstration, pino({ level: 'error', base: null }, pino.destination(2)))
  return settings
}

async function assertEmpty(dataDir: string): Promise<void> {
  const file = storeFile(dataDir)
  if (!existsSync(file)) return
  using connection = openStoreForReading(file)
  await assertNoMirror(connection, 'name another directory with --data-dir')
  if ((await readHead(connection)).record === 0) return
  throw new OperatorError(
    `The store in ${dataDir} has entries, and --demo writes into an empty store only; serve it without --demo, or name another directory with --data-dir.`,
  )
}

/** The minimum time between two writes, and by how much the time of day advances from one write to the next, in milliseconds. */
const PACE = 60_000
const SPREAD = 5_820_000

/** An entry as the last write returned it. */
type DemoEntry = {
  id: string
  slug: string
  currentRevisionId: string
  title: string
  summary: string
  content: string
}
type World = { clients: Map<string, Client>; written: Map<string, DemoEntry> }
type ScheduledWrite = { day: number; perform(world: World): Promise<void> }

/**
 * Writes the demonstration into a store without entries, through the routes of every client: the same checks, signals, hashes and standing.
 * Each author calls from a network of its own. The clock of the service begins some weeks ago and ends now.
 */
async function seedDemoEntries(
  config: Config,
  { authors, stories, links }: Demonstration,
  logger: Logger,
): Promise<void> {
  const end = Date.now()
  const writes = [...stories.flatMap(writesOf), ...links.map(linkWrite)].sort((one, other) => other.day - one.day)
  let now = end - (Math.max(...writes.map(({ day }) => day)) + 1) * DAY
  // With the limits of a client, seeding would take an hour.
  const settings = {
    ...config,
    ...UNLIMITED,
    otlpEndpoint: undefined,
    trustedProxies: [],
    adminToken: randomBytes(32).toString('hex'),
  }
  const service = await openService(settings, { logger, now: () => now })
  try {
    const world: World = { clients: await createAuthors(service.server, authors), written: new Map() }
    for (const [index, { day, perform }] of writes.entries()) {
      now = Math.max(now + PACE, Math.round(end - day * DAY) + ((index * SPREAD) % DAY))
      await perform(world)
    }
  } finally {
    await service.close()
  }
}

/** Creates the actor of each author. Returns a client for each, with its token. */
async function createAuthors(
  server: Service['server'],
  authors: Demonstration['authors'],
): Promise<Map<string, Client>> {
  const clients = new Map<string, Client>()
  for (const [name, { address: remoteAddress, ...declared }] of Object.entries(authors)) {
    const headers = { 'user-agent': 'palimpsest demonstration' }
    const client = clientsWithin(server, { remoteAddress, headers })(undefined)
    await client.createActor(declared)
    clients.set(name, client)
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
    const { kind, rationale, source, quote } = step
    const cited = source === undefined ? {} : { sourceEntryId: entryIn(world, source).id }
    const item = { entry: slug, kind: 'CONTRADICT' as const, revisionId: currentRevisionId, rationale, ...cited }
    const { items } = await client.recordEvidence({ items: [quote === undefined ? item : { ...item, quote }] })
    if (items[0]?.error !== undefined) throw new Error(`The ${kind} step about "${key}": ${items[0].error.code}.`)
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

function entryIn({ written }: World, key: string): DemoEntry {
  const entry = written.get(key)
  if (entry === undefined) throw new Error(`The demonstration names "${key}" before it is written.`)
  return entry
}

function clientOf({ clients }: World, author: string): Client {
  const client = clients.get(author)
  if (client === undefined) throw new Error(`The demonstration has no author "${author}".`)
  return client
}
