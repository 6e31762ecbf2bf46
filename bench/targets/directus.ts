import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { createCorpus, type Text } from '../corpus.ts'
import { installPackages } from '../install.ts'
import { itemOf } from '../load/drivers/directus.ts'
import { openHttp, requestText } from '../load/http.ts'
import { bytesUnder, CORES, type Server, startServer } from '../processes.ts'
import type { Place, Target } from '../target.ts'

/**
 * The sandbox of its scripts is not used here. It is newer than the package requires, because the required version does not build for Node
 * 24.
 */
const PACKAGES = { directus: '12.3.1', sqlite3: '6.0.1', 'isolated-vm': '6.2.0' }
const TOKEN = 'of-this-bench-alone'
const FILE = 'data.db'
const DONE = 'done'
const READY_WITHIN = 60_000
const ADDRESSES = 1_000

/** A collection with revisions and a log of every change. */
const COLLECTION = {
  collection: 'entries',
  schema: {},
  meta: { accountability: 'all' },
  fields: [
    {
      field: 'id',
      type: 'integer',
      schema: { is_primary_key: true, has_auto_increment: true },
      meta: { hidden: true },
    },
    { field: 'title', type: 'string', schema: {} },
    { field: 'summary', type: 'text', schema: {} },
    { field: 'content', type: 'text', schema: {} },
    { field: 'tags', type: 'json', schema: {}, meta: { special: ['cast-json'] } },
    { field: 'date_created', type: 'timestamp', schema: {}, meta: { special: ['date-created'] } },
    { field: 'date_updated', type: 'timestamp', schema: {}, meta: { special: ['date-updated'] } },
  ],
}

const environment = (directory: string, port: number): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: directory,
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PORT: String(port),
  DB_CLIENT: 'sqlite3',
  DB_FILENAME: join(directory, FILE),
  STORAGE_LOCAL_ROOT: join(directory, 'uploads'),
  EXTENSIONS_PATH: join(directory, 'extensions'),
  KEY: TOKEN,
  SECRET: TOKEN,
  ADMIN_EMAIL: 'admin@example.com',
  ADMIN_PASSWORD: TOKEN,
  ADMIN_TOKEN: TOKEN,
  MAX_PAYLOAD_SIZE: '10mb',
  TELEMETRY: 'false',
  PRESSURE_LIMITER_ENABLED: 'false',
  RATE_LIMITER_ENABLED: 'false',
  LOG_LEVEL: 'warn',
})

const commandOf = (installed: string, command: string): string[] => [
  process.execPath,
  join(installed, 'node_modules/directus/cli.js'),
  command,
]

async function start(installed: string, directory: string, cores: string | undefined) {
  const probe = createServer()
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  const options = { cwd: installed, env: environment(directory, port) }
  const server = startServer(commandOf(installed, 'start'), options, cores)
  const url = `http://127.0.0.1:${port}`
  await answering(url, server)
  return { url, server }
}

async function answering(url: string, server: Server): Promise<void> {
  const until = performance.now() + READY_WITHIN
  while (performance.now() < until && server.child.exitCode === null) {
    const http = openHttp(url)
    const answer = await http.send(requestText('GET', '/server/ping')).catch(() => undefined)
    http.close()
    if (answer?.status === 200) return
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  await server.stop('SIGKILL')
  throw new Error(`Directus does not answer: ${server.said().slice(-500)}`)
}

async function fill({ installed, kept, entries, say }: Place): Promise<void> {
  const directory = join(kept, 'data')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory)
  const [program = '', ...args] = commandOf(installed, 'bootstrap')
  execFileSync(program, args, { cwd: installed, env: environment(directory, 0), stdio: 'pipe' })
  const textOf = await createCorpus()
  const { url, server } = await start(installed, directory, undefined)
  try {
    await post(url, '/collections', COLLECTION)
    await post(url, '/items/entries', itemOf(textOf(0)))
  } finally {
    await server.stop()
  }
  say('copying what it wrote for one entry, for all others')
  copyFirst(join(directory, FILE), entries, textOf)
  writeFileSync(join(kept, DONE), '')
}

type Row = Record<string, SQLInputValue>

/** Writes for each further entry the rows that Directus wrote for the first one: the item, its activity and its revision. */
function copyFirst(path: string, entries: number, textOf: (number: number) => Text): void {
  const database = new DatabaseSync(path)
  const first = (table: string, where: string): Row =>
    database.prepare(`SELECT * FROM ${table} WHERE ${where}`).get() as Row
  const item = first('entries', 'id = 1')
  const activity = first('directus_activity', "collection = 'entries' AND item = '1'")
  const revision = first('directus_revisions', "collection = 'entries' AND item = '1'")
  const insert = (table: string, { id: _, ...row }: Row): number | bigint => {
    const names = Object.keys(row)
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
    return statementOf(sql).run(...Object.values(row)).lastInsertRowid
  }
  const statements = new Map<string, StatementSync>()
  const statementOf = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const withText = (json: SQLInputValue | undefined, text: object): string | null =>
    typeof json === 'string' ? JSON.stringify({ ...JSON.parse(json), ...text }) : null
  database.exec('BEGIN')
  for (let n = 1; n < entries; n++) {
    const text = itemOf(textOf(n))
    const id = String(insert('entries', { ...item, ...text, tags: JSON.stringify(text.tags) }))
    const done = insert('directus_activity', { ...activity, item: id })
    const [data, delta] = [withText(revision.data, text), withText(revision.delta, text)]
    insert('directus_revisions', { ...revision, activity: done, item: id, data, delta })
  }
  database.exec('COMMIT')
  database.close()
}

async function post(url: string, path: string, body: unknown): Promise<void> {
  const http = openHttp(url)
  const answer = await http.send(requestText('POST', path, `authorization: Bearer ${TOKEN}\r\n`, JSON.stringify(body)))
  http.close()
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${answer.text().slice(0, 500)}`)
}

/**
 * Directus over SQLite, with a log and revisions of all changes. Its administrator sends the requests, whose permissions need no look-up.
 */
export const directus: Target = {
  name: 'directus',
  operations: ['R', 'L', 'S', 'W', 'U', 'M'],
  most: 100_000,
  async prepare(place) {
    installPackages(place.installed, PACKAGES)
    if (!existsSync(join(place.kept, DONE))) await fill(place)
  },
  async start({ installed, kept, scratch, entries, words }) {
    const directory = join(scratch, 'data')
    cpSync(join(kept, 'data'), directory, { recursive: true })
    const bytes = bytesUnder(directory)
    const { url, server } = await start(installed, directory, CORES.server)
    return {
      about: `directus ${PACKAGES.directus} over SQLite with revisions; checks no base`,
      pids: [server.pid],
      situation: {
        driver: 'directus',
        urls: [url],
        addresses: Array.from({ length: Math.min(entries, ADDRESSES) }, (_, n) => String(n + 1)),
        words,
        tokens: [TOKEN],
      },
      stop: () => server.stop(),
      bytes: () => bytes,
    }
  },
}
