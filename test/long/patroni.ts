import { type ChildProcess, execFile, execFileSync, spawn as spawnUnowned } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { spawn } from '../support/children.ts'
import { owner, withClient } from '../support/cluster.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { freePort } from '../support/ports.ts'
import { eventually } from '../support/process.ts'
import { missing, type Program, pathOf } from '../support/programs.ts'

/** Programs below one directory. All of them end with the test. */
type Programs = {
  readonly directory: string
  /** Starts a program in a folder of the directory, as a user that may run PostgreSQL. `folders` are made for it. */
  run(
    name: string,
    program: string,
    args: readonly string[],
    env: Environment,
    folders?: readonly string[],
  ): ChildProcess
  /** The last output of the programs. */
  output(): string
  /** Ends all programs and their children, and removes the directory. */
  close(): Promise<void>
}
type Environment = Record<string, string>

/** Maximum number of stored pieces of output, and of characters that are shown. */
const PIECES_MAX = 1_000
const SHOWN = 4_000

function preparePrograms(): Programs {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-patroni-'))
  const user = owner()
  const make = (path: string): void => {
    const asUser = user === undefined ? [] : ['-o', String(user.uid), '-g', String(user.gid)]
    execFileSync('install', ['-d', '-m', '0700', ...asUser, path])
  }
  make(directory)
  const janitor = startJanitor(directory)
  const printed: string[] = []
  return {
    directory,
    run(name, program, args, env, folders = []) {
      const cwd = join(directory, name)
      for (const folder of [cwd, ...folders]) make(folder)
      const child = spawn(program, args, {
        ...user,
        cwd,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: directory, LC_ALL: 'C.UTF-8', ...env },
      })
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', chunk => {
          printed.push(String(chunk))
          if (printed.length > PIECES_MAX) printed.splice(0, PIECES_MAX / 2)
        })
      }
      return child
    },
    output: () => printed.join('').slice(-SHOWN),
    async close() {
      const ended = new Promise(resolve => janitor.once('exit', resolve))
      janitor.stdin?.end()
      await ended
    },
  }
}

/**
 * Starts a process that ends everything below a directory and removes the directory when its input ends: by `close`, or with this process.
 */
const startJanitor = (directory: string): ChildProcess =>
  spawnUnowned('/bin/sh', ['-c', JANITOR, directory], { cwd: '/', stdio: ['pipe', 'ignore', 'ignore'], detached: true })

/** Kills the programs that would restart PostgreSQL first, then PostgreSQL, which removes its shared memory after SIGQUIT. */
const JANITOR = `read -r _
below() {
  for one in /proc/[0-9]*; do
    case "$(readlink "$one/cwd")" in "$0"|"$0"/*) echo "\${one#/proc/} $(cat "$one/comm")";; esac
  done 2>/dev/null
}
below | while read -r pid name; do [ "$name" = postgres ] || kill -KILL "$pid"; done
below | while read -r pid name; do kill -QUIT "$pid"; done
for tries in 1 2 3 4 5 6 7 8 9 10; do [ -z "$(below)" ] || sleep 0.3; done
below | while read -r pid name; do kill -KILL "$pid"; done
sleep 0.2
rm -rf "$0"`

/** The ids of the child processes of a process. */
function childrenOf(parent: number): number[] {
  const parentOf = (pid: number): number | undefined => {
    try {
      const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1])
    } catch {
      // The process has ended.
      return undefined
    }
  }
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => Number.isInteger(pid) && parentOf(pid) === parent)
}

/** Sends a signal to all PostgreSQL processes of a data directory. */
function signalPostgres(data: string, signal: NodeJS.Signals): void {
  const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

const execute = promisify(execFile)
const DEPLOY = join(import.meta.dirname, '../../deploy/patroni')
/** The reason to skip a test that needs Patroni; false if it can run here. */
export const NO_PATRONI = missing('patroni') || missing('etcd') || missing('haproxy') || NO_POSTGRES

function programOf(program: Program): string {
  const path = pathOf(program)
  if (path === undefined) throw new Error(String(missing(program)))
  return path
}

const NAMES = ['pg1', 'pg2', 'pg3'] as const
const PASSWORD = 'of-the-tests'
const DATABASE = 'palimpsest'
const PATIENCE = 120_000
/** Time for which a cluster must be complete before it counts as settled, in milliseconds: several loops of Patroni. */
const SETTLED_FOR = 4_000
/** The ports of each machine in the files of deploy/patroni. */
const PORTS = { 2379: 'etcd', 2380: 'etcdPeer', 5432: 'postgres', 8008: 'patroni' } as const
type Ports = Record<(typeof PORTS)[keyof typeof PORTS], number>

/** A member of the cluster: PostgreSQL, and Patroni, which runs it. */
export type Member = {
  readonly name: string
  /** The address of the database of the service on this member. */
  readonly url: string
  /** Kills Patroni and every process of PostgreSQL by SIGKILL. */
  kill(): Promise<void>
  /** Starts Patroni, which starts PostgreSQL. */
  start(): void
  /** Suspends Patroni and PostgreSQL, like a machine that freezes. `thaw` resumes them. */
  freeze(): void
  thaw(): void
}

export type PatroniCluster = {
  readonly members: readonly Member[]
  /** Addresses of the database through HAProxy: on the primary, and on any standby. */
  readonly primary: string
  readonly standbys: string
  /** Resolves with the leader once two synchronous standbys receive its writes. */
  settled(): Promise<Member>
  /** Runs patronictl and returns its output. */
  patronictl(...args: string[]): Promise<string>
  close(): Promise<void>
}

/** Starts three members of etcd, three of PostgreSQL under Patroni, and HAProxy, all on loopback, with the files of deploy/patroni. */
export async function startPatroni(): Promise<PatroniCluster> {
  const programs = preparePrograms()
  try {
    const ports = await Promise.all(NAMES.map(somePorts))
    for (const name of NAMES) {
      const env = readEnvironment('etcd.env', name, programs.directory, ports)
      programs.run(name, programOf('etcd'), [], env, [String(env.ETCD_DATA_DIR)])
    }
    const configuration = join(programs.directory, 'patroni.yml')
    copyFileSync(join(DEPLOY, 'patroni.yml'), configuration)
    const members = NAMES.map(name => createMember(programs, name, configuration, ports))
    for (const member of members) member.start()
    const [primaryPort, standbysPort] = [await freePort(), await freePort()]
    programs.run('haproxy', programOf('haproxy'), ['-db', '-f', join(DEPLOY, 'haproxy.cfg')], {
      PALIMPSEST_PRIMARY: `127.0.0.1:${primaryPort}`,
      PALIMPSEST_STANDBYS: `127.0.0.1:${standbysPort}`,
      ...Object.assign({}, ...ports.map(addressesOf)),
    })
    const superuser = urlOf('postgres', primaryPort, 'postgres')
    const cluster: PatroniCluster = {
      members,
      primary: urlOf('palimpsest', primaryPort),
      standbys: urlOf('palimpsest', standbysPort),
      settled: () => settledLeader(members, ports, superuser, programs),
      async patronictl(...args) {
        const env = { ...process.env, ...readEnvironment('patroni.env', 'pg1', programs.directory, ports) }
        return (await execute('/usr/bin/patronictl', ['-c', configuration, ...args], { env })).stdout
      },
      close: programs.close,
    }
    await cluster.settled()
    await withClient(superuser, async client => {
      await client.query(`CREATE ROLE palimpsest LOGIN PASSWORD '${PASSWORD}'`)
      await client.query(`CREATE DATABASE ${DATABASE} OWNER palimpsest ENCODING 'UTF8' TEMPLATE template0`)
    })
    return cluster
  } catch (error) {
    await programs.close()
    throw error
  }
}

const urlOf = (user: string, port: number, database = DATABASE): string =>
  `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`

async function somePorts(): Promise<Ports> {
  const [etcd, etcdPeer, postgres, patroni] = [await freePort(), await freePort(), await freePort(), await freePort()]
  return { etcd, etcdPeer, postgres, patroni }
}

/** The variables of haproxy.cfg for one member. */
const addressesOf = ({ postgres, patroni }: Ports, n: number): Environment => ({
  [`PALIMPSEST_PG${n + 1}`]: `127.0.0.1:${postgres}`,
  [`PALIMPSEST_PG${n + 1}_PATRONI`]: String(patroni),
})

/**
 * The variables of a file of deploy/patroni for one machine. Ports on loopback replace the three machines, temporary folders replace those
 * of the system.
 */
function readEnvironment(file: string, name: string, directory: string, ports: readonly Ports[]): Environment {
  const text = readFileSync(join(DEPLOY, file), 'utf8')
    .replaceAll('@NAME@', name)
    .replaceAll('@OWN@', `10.0.0.1${name.slice(-1)}`)
    .replaceAll('@PASSWORD@', PASSWORD)
    .replaceAll('/var/lib', join(directory, name))
    .replaceAll(/10\.0\.0\.1([123]):(\d+)/g, (_, machine: string, port: string) => {
      const kind = PORTS[Number(port) as keyof typeof PORTS]
      return `127.0.0.1:${ports[Number(machine) - 1]?.[kind]}`
    })
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

function createMember(programs: Programs, name: string, configuration: string, ports: readonly Ports[]): Member {
  const env = readEnvironment('patroni.env', name, programs.directory, ports)
  const data = String(env.PATRONI_POSTGRESQL_DATA_DIR)
  let patroni: ChildProcess | undefined
  return {
    name,
    url: urlOf('palimpsest', Number(env.PATRONI_POSTGRESQL_LISTEN?.split(':')[1])),
    start() {
      patroni = programs.run(name, programOf('patroni'), [configuration], env, [dirname(data), data])
    },
    async kill() {
      const ended = new Promise(resolve => patroni?.once('exit', resolve))
      patroni?.kill('SIGKILL')
      await ended
      signalPostgres(data, 'SIGKILL')
    },
    freeze() {
      patroni?.kill('SIGSTOP')
      signalPostgres(data, 'SIGSTOP')
    },
    thaw() {
      signalPostgres(data, 'SIGCONT')
      patroni?.kill('SIGCONT')
    },
  }
}

type Listed = { members: { name: string; role: string }[] }

/** The leader, once two synchronous standbys have received its writes for `SETTLED_FOR` milliseconds. */
async function settledLeader(
  members: readonly Member[],
  ports: readonly Ports[],
  superuser: string,
  programs: Programs,
): Promise<Member> {
  const look = async ({ patroni }: Ports): Promise<Member | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${patroni}/cluster`)
    const listed = ((await answer.json()) as Listed).members
    const leader = members.find(({ name }) => listed.some(one => one.name === name && one.role === 'leader'))
    const standbys = listed.filter(({ role }) => role === 'sync_standby')
    if (leader === undefined || standbys.length < 2) return undefined
    const found = await withClient(superuser, client => client.query(STREAMING))
    return found.rows[0]?.settled ? leader : undefined
  }
  const found = async (): Promise<Member | undefined> => {
    for (const one of ports) {
      const leader = await look(one).catch(() => undefined)
      if (leader !== undefined) return leader
    }
    return undefined
  }
  try {
    // A member may stream for a moment before Patroni detects that it must be rewound.
    let [last, since] = [await found(), performance.now()]
    return await eventually('a leader with two standbys', PATIENCE, async () => {
      const leader = await found()
      if (leader === undefined || leader !== last) since = performance.now()
      last = leader
      return performance.now() - since > SETTLED_FOR ? leader : undefined
    })
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${programs.output()}`)
  }
}

const STREAMING = `SELECT count(*) = 2 AS settled
  FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'`
