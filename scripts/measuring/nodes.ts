import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const LAUNCHER = join(import.meta.dirname, '../../bin/palimpsest.js')

/** A service in a process of its own. */
export type Node = { url: string; pid: number; stop(): Promise<void> }

/** Starts the service on a free port with limits out of the way; `settings` say on which store. Rejects with what it said when it ends instead. */
export function startNode(settings: Record<string, string>): Promise<Node> {
  const child: ChildProcess = spawn(process.execPath, [LAUNCHER, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      LOG_LEVEL: 'warn',
      COOLDOWN_SECONDS: '0',
      READ_LIMIT_PER_MINUTE: '1000000000',
      WRITE_LIMIT_PER_MINUTE: '1000000000',
      ...settings,
    },
  })
  let said = ''
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', chunk => {
      said += chunk
    })
    child.stdout?.on('data', chunk => {
      said += chunk
      const url = /ready at (http:\S+)/.exec(said)?.[1]
      if (url === undefined) return
      resolve({
        url,
        pid: child.pid ?? 0,
        async stop() {
          child.kill('SIGTERM')
          await ended
        },
      })
    })
    ended.then(() => reject(new Error(said)))
  })
}
