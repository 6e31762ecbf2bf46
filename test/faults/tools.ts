import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { missing } from '../support/programs.ts'

/** The reason to skip a test that makes system calls fail by a library of its own; false if it can be compiled here. */
export const NO_SHIM = process.platform === 'linux' ? missing('gcc') : 'needs Linux'
/** The reason to skip a test that mounts a disk; false if this user can mount one. */
export const NO_MOUNT = process.platform === 'linux' && process.getuid?.() === 0 ? false : 'needs Linux and root'

/**
 * Compiles a library that is loaded before the C library, by default one that makes syncs fail. Returns its path, or false without a
 * compiler.
 */
export function compileShim(directory: string, source = 'shim.c'): string | false {
  if (NO_SHIM !== false) return false
  const shim = join(directory, `${source}.so`)
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', shim, join(import.meta.dirname, source), '-ldl'])
  return shim
}

/** The reason to skip a test that traces system calls of a process; false if this user can trace here. */
export function noTrace(directory: string): string | false {
  const reason = missing('strace')
  if (reason !== false) return reason
  const { status } = spawnSync('strace', ['-o', join(directory, 'probe'), 'true'], { stdio: 'ignore' })
  return status === 0 ? false : 'needs the right to trace processes'
}

/** Mounts a small disk at a path. Returns the function that unmounts it, or false if mounting is not allowed. */
export function mountSmallDisk(path: string, size: string): (() => void) | false {
  mkdirSync(path)
  if (NO_MOUNT !== false) return false
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path])
  return () => execFileSync('umount', ['-l', path])
}
