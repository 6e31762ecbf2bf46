import { type ChildProcess, execFile } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { withClient } from './cluster.ts'
import { NO_POSTGRES } from './engine.ts'
import { type Environment, type Programs, preparePrograms, signalPostgres } from './patroni-processes.ts'
import { freePort } from './ports.ts'
import { eventually } from './process.ts'
import { missing, type Program, pathOf } from './programs.ts'

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
