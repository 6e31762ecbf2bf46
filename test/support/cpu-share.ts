import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PERIOD = 100_000
/** The folders in which the kernel makes control groups, each with the file that limits processor time, and its content. */
const KINDS = [
  { root: '/sys/fs/cgroup/cpu', file: 'cpu.cfs_quota_us', contentOf: (quota: number) => String(quota) },
  { root: '/sys/fs/cgroup', file: 'cpu.max', contentOf: (quota: number) => `${quota} ${PERIOD}` },
]

/**
 * Limits a process and its threads to a share of one core, to simulate a slower machine. Returns a function that removes the limit after
 * the end of the process; undefined if this user may not make control groups.
 */
export function boundCpu(pid: number, share: number): (() => void) | undefined {
  for (const { root, file, contentOf } of KINDS) {
    const group = join(root, `palimpsest-test-${pid}`)
    try {
      mkdirSync(group)
      if (existsSync(join(group, file))) {
        writeFileSync(join(group, file), contentOf(Math.round(share * PERIOD)))
        writeFileSync(join(group, 'cgroup.procs'), String(pid))
        return () => rmdirSync(group)
      }
      rmdirSync(group)
    } catch {
      // Tries the next kind.
    }
  }
  return undefined
}
