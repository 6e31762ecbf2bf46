import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createCorpus } from '../corpus.ts'
import { installPackages, loadFrom } from '../install.ts'
import { AUTHORS, eventOf, type NostrTools, OWN, secretKeys } from '../load/drivers/nostr-relay.ts'
import { bytesUnder, startServer } from '../processes.ts'
import type { Place, Target } from '../target.ts'
import { atMost } from './palimpsest.ts'

const PACKAGES = {
  '@nostr-relay/core': '0.0.40',
  '@nostr-relay/common': '0.0.40',
  '@nostr-relay/validator': '0.0.40',
  '@nostr-relay/event-repository-sqlite': '0.0.40',
  'better-sqlite3': '13.2.0',
  'nostr-tools': '2.25.2',
  ws: '8.23.0',
}
const SHOWN = 20_000
const ADDRESSES = 1_000
/** Entries that are filled in without the relay have no valid signature, because signing would take longer than everything else. */
const UNSIGNED = 'f'.repeat(128)

export type Repository = {
  init(): Promise<void>
  upsert(event: object): Promise<object>
  insertToSearch(event: object): Promise<number>
  destroy(): Promise<void>
}
type SqlitePackage = { EventRepositorySqlite: new (database: unknown) => Repository }

/** The store of the relay over a file. `pragma` sets its durability. */
export function openRepository(installed: string, path: string, pragma: string): Repository {
  const Database = loadFrom<new (path: string) => { pragma(text: string): void }>(installed, 'better-sqlite3')
  const { EventRepositorySqlite } = loadFrom<SqlitePackage>(installed, '@nostr-relay/event-repository-sqlite')
  const database = new Database(path)
  database.pragma('journal_mode = WAL')
  database.pragma(pragma)
  return new EventRepositorySqlite(database)
}

async function fill({ installed, kept, entries, say }: Place): Promise<void> {
  const path = join(kept, 'relay.db')
  for (const part of ['', '-wal', '-shm']) rmSync(`${path}${part}`, { force: true })
  const tools = loadFrom<NostrTools>(installed, 'nostr-tools/pure')
  const keys = secretKeys().map(key => tools.getPublicKey(key))
  const repository = openRepository(installed, path, 'synchronous = OFF')
  await repository.init()
  const textOf = await createCorpus()
  const ids: string[] = []
  for (let n = 0; n < entries; n++) {
    const event = { ...eventOf(textOf(n), n, 1_600_000_000 + n), pubkey: keys[n % keys.length], sig: UNSIGNED }
    const id = tools.getEventHash(event)
    ids.push(id)
    await repository.upsert({ ...event, id })
    await repository.insertToSearch({ ...event, id })
    if (n % SHOWN === 0) say(`${n} of ${entries} entries`)
  }
  await repository.destroy()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  // An entry that is replaced during the measurement can no longer be found by its id.
  writeFileSync(join(kept, 'ids.json'), JSON.stringify(ids.slice(AUTHORS * OWN)))
}

/** Both variants share the packages and the filled store. */
const shared = ({ kept, installed, ...place }: Place): Place => ({
  ...place,
  kept: join(kept, '../../nostr-relay', String(place.entries)),
  installed: join(installed, '../nostr-relay'),
})

/**
 * A Nostr relay over SQLite. Entries are long-form articles, which their author replaces, without earlier versions. The relay repeats the
 * answer to the same request for `seconds` without reading its store.
 */
const relay = (name: string, seconds: number, about: string): Target => ({
  name,
  operations: ['R', 'L', 'S', 'W', 'U', 'M'],
  most: 100_000,
  async prepare(place) {
    const { installed, kept } = shared(place)
    mkdirSync(kept, { recursive: true })
    installPackages(installed, PACKAGES)
    if (!existsSync(join(kept, 'ids.json'))) await fill(shared(place))
  },
  async start(place) {
    const { installed, kept, scratch, words } = shared(place)
    cpSync(join(kept, 'relay.db'), join(scratch, 'relay.db'))
    const bytes = bytesUnder(scratch)
    const script = join(import.meta.dirname, 'nostr-relay-server.ts')
    const server = startServer([process.execPath, script, installed, join(scratch, 'relay.db'), `${seconds}`], {})
    const [, url = ''] = await server.until(/ready at (ws:\S+)/)
    const addresses = atMost(JSON.parse(readFileSync(join(kept, 'ids.json'), 'utf8')) as string[], ADDRESSES)
    return {
      about: `@nostr-relay/core ${PACKAGES['@nostr-relay/core']} over SQLite, synchronous=FULL; ${about}`,
      pids: [server.pid],
      situation: { driver: 'nostr-relay', urls: [url], addresses, words, tokens: [], installed },
      stop: () => server.stop(),
      bytes: () => bytes,
    }
  },
})

export const nostrRelay = relay(
  'nostr-relay',
  0,
  'keeps no history and checks no base; it can only answer with the current state, like the other programs here',
)
export const nostrRelayCached = relay('nostr-relay-cached', 1, 'the same as it comes: its answers may be a second old')
