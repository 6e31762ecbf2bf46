import { type ChildProcess, execFileSync, spawn as spawnUnowned } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from './children.ts'
import { owner } from './cluster.ts'

/** Programs below one directory. All of them end with the test. */
export type Programs = {
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
export type Environment = Record<string, string>

/** Maximum number of stored pieces of output, and of characters that are shown. */
const PIECES_MAX = 1_000
const SHOWN = 4_000

export function preparePrograms(): Programs {
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
export function signalPostgres(data: string, signal: NodeJS.Signals): void {
  const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
