import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from './ports.ts'

const USER = 'palimpsest'
const SERVER_USER = 'postgres'
const PATIENCE = 100_000
const PAUSE = 30

/** The signal for each kind of stop. `fast` lets the server write its data; `immediate` acts like a power cut. */
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** A PostgreSQL server that only the tests use. */
export type Server = {
  port: number
  url(database: string): string
  start(): Promise<void>
  stop(how: keyof typeof SIGNALS): Promise<void>
}
/** A primary of the tests, with its standbys. */
export type Cluster = Server & {
  /** A streaming standby. `promote` makes it a primary. */
  standby(): Promise<Server & { promote(): Promise<void> }>
  /** Stops everything and removes all files. */
  close(): Promise<void>
}

/**
 * The folder of PostgreSQL's programs: the one in the variable POSTGRES_BIN, otherwise the newest on this system; undefined if there is
 * none.
 */
export function findBinaries(): string | undefined {
  const named = process.env.POSTGRES_BIN
  if (named !== undefined) return named
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map(version => `/usr/lib/postgresql/${version}/bin`)
  const ofPath = (process.env.PATH ?? '').split(':')
  return [...folders, ...ofPath].find(folder => folder !== '' && existsSync(join(folder, 'initdb')))
}

const isRoot = process.getuid?.() === 0
const idOf = (flag: string): number => Number(execFileSync('id', [flag, SERVER_USER], { encoding: 'utf8' }))
/** The user that runs PostgreSQL, because PostgreSQL refuses to run as root; undefined for the user of this process. */
export const owner = (): { uid: number; gid: number } | undefined =>
  isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : undefined

/**
 * Makes and starts a server with production durability, in a temporary directory or in `keptIn`, which is not removed. The server ends with
 * this process, even if the process is killed.
 */
export async function startCluster(binaries: string, keptIn?: string): Promise<Cluster> {
  const directory = keptIn ?? mkdtempSync(join(tmpdir(), 'palimpsest-postgres-'))
  const user = owner()
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  chmodSync(directory, 0o700)
  const run = (program: string, ...args: string[]): void => {
    execFileSync(join(binaries, program), args, { ...user, cwd: directory, stdio: 'pipe' })
  }
  // A locale whose order and case differ from those of bytes, because nothing may depend on the locale of the database.
  const turkish = ['--locale=C', '--locale-provider=icu', '--icu-locale=tr-TR']
  const data = join(directory, 'primary')
  if (!existsSync(data)) run('initdb', '-D', data, '-U', USER, '-E', 'UTF8', ...turkish, '-A', 'trust')
  const leftover = keptIn === undefined ? directory : ''
  const primary = await createServerIn(binaries, directory, 'primary', leftover)
  await primary.start()
  const servers: Server[] = [primary]
  return {
    ...primary,
    async standby() {
      const name = `standby${servers.length}`
      run(
        'pg_basebackup',
        '-d',
        primary.url('postgres'),
        '-D',
        join(directory, name),
        '-R',
        '-c',
        'fast',
        '-X',
        'stream',
      )
      const standby = await createServerIn(binaries, directory, name, leftover)
      servers.push(standby)
      await standby.start()
      return { ...standby, promote: async () => run('pg_ctl', '-D', join(directory, name), '-w', 'promote') }
    },
    async close() {
      for (const server of servers.slice(1)) await server.stop('immediate')
      if (keptIn !== undefined) return primary.stop('fast')
      await primary.end()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const SETTINGS = `listen_addresses = '127.0.0.1'
shared_buffers = 64MB
max_connections = 400
max_wal_size = 512MB
wal_keep_size = 256MB
logging_collector = off
`

/** `leftover` is removed if this process ends without a stop. */
async function createServerIn(
  binaries: string,
  directory: string,
  name: string,
  leftover: string,
): Promise<Server & { end(): Promise<void> }> {
  const data = join(directory, name)
  const port = await freePort()
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    `${existsSync(join(data, 'standby.signal')) ? autoConf(data) : ''}${SETTINGS}port = ${port}\nunix_socket_directories = '${directory}'\n`,
  )
  const url = (database: string): string => `postgres://${USER}@127.0.0.1:${port}/${database}`
  let child: ChildProcess | undefined
  /** Resolves when the server has ended after `ask`. */
  const ended = async (ask: (input: ChildProcess['stdin']) => void): Promise<void> => {
    if (child === undefined || child.exitCode !== null) return
    const exited = new Promise(resolve => child?.once('exit', resolve))
    ask(child.stdin)
    await exited
  }
  return {
    port,
    url,
    async start() {
      child = spawn('/bin/sh', ['-c', SUPERVISOR, join(binaries, 'postgres'), data, leftover, String(process.pid)], {
        ...owner(),
        cwd: directory,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      await answers(url('postgres'))
    },
    stop: how => ended(input => input?.write(`${SIGNALS[how].slice('SIG'.length)}\n`)),
    // The supervisor removes the files, even if this process ends first.
    end: () => ended(input => input?.end()),
  }
}

/** Runs the server until its input names a signal to forward, or until its input ends with the parent process. Then removes all files. */
const SUPERVISOR = `"$0" -D "$1" & server=$!
if read -r how; then kill -"$how" $server; wait $server
else kill -QUIT $server; wait $server; rm -rf "$2"; fi`

/** The file in which pg_basebackup wrote the settings of the standby. */
const autoConf = (data: string): string =>
  execFileSync('cat', [join(data, 'postgresql.auto.conf')], { encoding: 'utf8' })

async function answers(url: string): Promise<void> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    try {
      return await withClient(url, async () => {})
    } catch (error) {
      if (performance.now() > deadline) throw error
      await setTimeout(PAUSE)
    }
  }
}

/** Runs `work` with a client of a database. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** The URL of another database on the same server. */
export function urlOfDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

export type Database = { url: string; drop(): Promise<void> }

/**
 * Makes a database on the server at `url`, which may name any database of the server. The new database is empty, or a copy of `template`.
 */
export async function createDatabase(url: string, template = 'template0'): Promise<Database> {
  const name = `palimpsest_${randomBytes(8).toString('hex')}`
  await withClient(url, client => client.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE ${template}`))
  return {
    url: urlOfDatabase(url, name),
    async drop() {
      await withClient(url, client => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    },
  }
}
