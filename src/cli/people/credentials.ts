import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Actor, ActorIssued } from '../../client/index.ts'
import { errorCode, OperatorError, systemFault } from '../../operator-error.ts'
import { makeDirectories, OWNER_ONLY_FILE } from '../../sync-path.ts'
import { parsedJson } from '../read.ts'

const FILE_BYTES_MAX = 65_536

/** The stored actor for one service, with its secret token. */
export type Credential = { baseUrl: string; actor: Actor; token: string }

/** The directory of the user's configuration: XDG_CONFIG_HOME if set, otherwise that of the system. */
export function configDirectory(env: NodeJS.ProcessEnv, platform = process.platform): string {
  const home = env.HOME ?? homedir()
  const named = env.XDG_CONFIG_HOME
  if (named !== undefined && isAbsolute(named)) return join(named, 'palimpsest')
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'palimpsest')
  return platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'palimpsest')
    : join(home, '.config', 'palimpsest')
}

/** The file of one service. Each service has its own, so that first writes to two services do not conflict. */
export function credentialFile(env: NodeJS.ProcessEnv, baseUrl: string): string {
  const readable = baseUrl
    .replace(/^https?:\/\//, '')
    .replaceAll(/[^A-Za-z0-9.-]+/g, '_')
    .slice(0, 60)
  const digest = createHash('sha256').update(baseUrl).digest('hex').slice(0, 8)
  return join(configDirectory(env), 'actors', `${readable}-${digest}.json`)
}

/** The stored actor of a service, if there is one. Throws if others can read the file or if it is damaged. */
export function readCredential(env: NodeJS.ProcessEnv, baseUrl: string): Credential | undefined {
  const file = credentialFile(env, baseUrl)
  const text = readPrivate(file)
  if (text === undefined) return undefined
  const kept = parsedJson(text) as Partial<Credential> | undefined
  if (typeof kept?.token !== 'string' || typeof kept.actor?.id !== 'string' || kept.baseUrl !== baseUrl) {
    throw new OperatorError(`${file} is damaged; remove it to create a new actor.`)
  }
  return kept as Credential
}

/** A small text that only its owner may read; undefined if the file does not exist. */
function readPrivate(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new OperatorError(`${file} cannot be read (${systemFault(error)}); it must be a regular file that you own.`)
  }
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile() || found.size > FILE_BYTES_MAX) {
      throw new OperatorError(`${file} is damaged; remove it to create a new actor.`)
    }
    assertOwn(file, found.mode & 0o077, found.uid, '600')
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Windows protects a user's directory by access control lists. File modes have no meaning there. */
function assertOwn(path: string, open: number, owner: number, mode: string): void {
  if (process.platform === 'win32') return
  if (owner !== process.getuid?.())
    throw new OperatorError(`${path} belongs to another user; remove it or change its owner.`)
  if (open !== 0) {
    throw new OperatorError(
      `${path} contains a token and others can read it; run "chmod ${mode} ${path}" and try again.`,
    )
  }
}

/**
 * Stores the actor that `issue` creates, unless another process has stored one: then that one is used. The file is created before the
 * actor, so that no actor is created without storage. Returns the stored actor, and whether it is new.
 */
export async function keepCredential(
  env: NodeJS.ProcessEnv,
  baseUrl: string,
  issue: () => Promise<ActorIssued>,
): Promise<{ credential: Credential; made: boolean }> {
  const file = credentialFile(env, baseUrl)
  const partial = `${file}.${randomUUID()}.partial`
  const descriptor = makePrivate(join(configDirectory(env), 'actors'), partial)
  try {
    const { actor, token } = await issue()
    const credential = { baseUrl, actor, token }
    writeSync(descriptor, `${JSON.stringify(credential, null, 2)}\n`)
    fsyncSync(descriptor)
    if (namedFirst(partial, file)) return { credential, made: true }
    return { credential: readCredential(env, baseUrl) ?? credential, made: false }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new OperatorError(
      `${file} cannot be created (${systemFault(error)}), so the token is lost; fix the cause and try again.`,
    )
  } finally {
    closeSync(descriptor)
    rmSync(partial, { force: true })
  }
}

/** Renames a file unless the name exists. */
function namedFirst(partial: string, file: string): boolean {
  try {
    linkSync(partial, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
  }
  // For a file system without links: the copy has the same mode.
  try {
    copyFileSync(partial, file, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Creates a directory and a file in it, both only for their owner, and opens the file for writing. */
function makePrivate(directory: string, file: string): number {
  try {
    makeDirectories(directory)
    const { mode, uid } = statSync(directory)
    assertOwn(directory, mode & 0o022, uid, '700')
    return openSync(file, 'wx', OWNER_ONLY_FILE)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `${directory} cannot store a token (${systemFault(error)}); make it writable, or set PALIMPSEST_TOKEN.`,
    )
  }
}
