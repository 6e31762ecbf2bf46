import { type ChildProcess, spawn as spawnChild } from 'node:child_process'
import { atEnd } from './at-end.ts'

const running = new Set<ChildProcess>()
const killAll = (): void => {
  for (const child of running) child.kill('SIGKILL')
}
atEnd(killAll)
process.on('exit', killAll)
// The runner ends a file that exceeds its time limit with a signal, which leaves no time for the hooks of its tests.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

function owned<C extends ChildProcess>(child: C): C {
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

/** Like `spawn` of Node. The child always ends with the test file that started it. */
export const spawn = ((...args: Parameters<typeof spawnChild>) => owned(spawnChild(...args))) as typeof spawnChild
