import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

/** Says loudly why a test is left out on this machine. */
function without(reason: string): false {
  process.stderr.write(`\n!!! NOT TESTED HERE: ${reason}\n\n`)
  return false
}

/**
 * Compiles a library that is loaded before the C library, by default one that makes syncs fail. Returns its path, or false without a
 * compiler.
 */
export function compileShim(directory: string, source = 'shim.c'): string | false {
  if (process.platform !== 'linux' || !has('gcc')) return without('faults of syncs need Linux and gcc')
  const shim = join(directory, `${source}.so`)
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', shim, join(import.meta.dirname, source), '-ldl'])
  return shim
}

/** Whether system calls of a process can be watched here. */
export function canTrace(directory: string): boolean {
  const traced = spawnSync('strace', ['-o', join(directory, 'probe'), 'true'], { stdio: 'ignore' })
  return traced.status === 0 || without('watching syncs needs strace and the right to trace')
}

/** Mounts a small disk at a path. Returns the function that unmounts it, or false if mounting is not allowed. */
export function mountSmallDisk(path: string, size: string): (() => void) | false {
  mkdirSync(path)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' })
  if (mounted.status !== 0) return without('a full disk needs root and mount')
  return () => execFileSync('umount', ['-l', path])
}
