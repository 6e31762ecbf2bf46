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
import { OperatorError, systemFault } from '../../operator-error.ts'
import { makeDirectories } from '../../sync-path.ts'

const FILE_BYTES_MAX = 65_536
const OWNER_ONLY = 0o600

/** The actor that writes to one service from here, with its secret token. */
export type Credential = { baseUrl: string; actor: Actor; token: string }

/** The directory of the user's configuration: XDG_CONFIG_HOME where it is set, else that of the system. */
export function configDirectory(env: NodeJS.ProcessEnv, platform = process.platform): string {
  const home = env.HOME ?? homedir()
  const named = env.XDG_CONFIG_HOME
  if (named !== undefined && isAbsolute(named)) return join(named, 'palimpsest')
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'palimpsest')
  return platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'palimpsest')
    : join(home, '.config', 'palimpsest')
}

/** The file of one service: one each, so that two first writes to two services never meet. */
export function credentialFile(env: NodeJS.ProcessEnv, baseUrl: string): string {
  const readable = baseUrl
    .replace(/^https?:\/\//, '')
    .replaceAll(/[^A-Za-z0-9.-]+/g, '_')
    .slice(0, 60)
  const digest = createHash('sha256').update(baseUrl).digest('hex').slice(0, 8)
  return join(configDirectory(env), 'actors', `${readable}-${digest}.json`)
}

/** The actor kept for a service, if there is one. Refuses a file that others may read or that is not whole. */
export function readCredential(env: NodeJS.ProcessEnv, baseUrl: string): Credential | undefined {
  const file = credentialFile(env, baseUrl)
  const text = readPrivate(file)
  if (text === undefined) return undefined
  const kept = parsedJson(text) as Partial<Credential> | undefined
  if (typeof kept?.token !== 'string' || typeof kept.actor?.id !== 'string' || kept.baseUrl !== baseUrl) {
    throw new OperatorError(`${file} is not what was kept there; remove it to begin with a new actor.`)
  }
  return kept as Credential
}

/** A JSON value, or undefined where the text is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A small text that only its owner may read; undefined where there is no such file. */
function readPrivate(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new OperatorError(`${file} cannot be read (${systemFault(error)}); it must be a plain file of yours.`)
  }
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile() || found.size > FILE_BYTES_MAX) {
      throw new OperatorError(`${file} is not what was kept there; remove it to begin with a new actor.`)
    }
    assertOwn(file, found.mode & 0o077, found.uid, '600')
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Windows keeps a user's directory from others by its lists; a mode says nothing there. */
function assertOwn(path: string, open: number, owner: number, mode: string): void {
  if (process.platform === 'win32') return
  if (owner !== process.getuid?.())
    throw new OperatorError(`${path} belongs to another user; remove it or take it over.`)
  if (open !== 0) {
    throw new OperatorError(`${path} is open to others and holds a token; run "chmod ${mode} ${path}" and try again.`)
  }
}

/**
 * Keeps the actor that `issue` makes, unless another process kept one meanwhile: then that one. The place is made before
 * the actor, so that none is made in vain. Gives what is kept, and whether it is new.
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
      `${file} cannot be made (${systemFault(error)}), so its token is lost; correct that and try again.`,
    )
  } finally {
    closeSync(descriptor)
    rmSync(partial, { force: true })
  }
}

/** Gives a file its name unless that is taken. */
function namedFirst(partial: string, file: string): boolean {
  try {
    linkSync(partial, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
  }
  // A file system without links: the copy keeps the mode.
  try {
    copyFileSync(partial, file, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Makes a directory and a file in it for their owner alone, and opens the file to be written. */
function makePrivate(directory: string, file: string): number {
  try {
    makeDirectories(directory)
    const { mode, uid } = statSync(directory)
    assertOwn(directory, mode & 0o022, uid, '700')
    return openSync(file, 'wx', OWNER_ONLY)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `${directory} cannot store a token (${systemFault(error)}); make it writable, or set PALIMPSEST_TOKEN.`,
    )
  }
}
