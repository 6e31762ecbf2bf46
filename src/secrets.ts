import { hash, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode, OperatorError } from './operator-error.ts'
import { OWNER_ONLY_FILE, syncMade } from './sync-path.ts'

/**
 * The secrets of a node: the SHA-256 of the admin token as lower-case hex, the key of the origins, and the private key of the public log as
 * PEM. They are never shown.
 */
export type Secrets = { adminDigest: string; originKey: string; logKey: string }

export const adminTokenFile = (directory: string): string => join(directory, 'admin-token')
export const originKeyFile = (directory: string): string => join(directory, 'origin-key')
export const logKeyFile = (directory: string): string => join(directory, 'log-key')
export const mcpTokenFile = (directory: string): string => join(directory, 'mcp-actor-token')
export const witnessKeyFile = (directory: string): string => join(directory, 'witness-key')

/** All files with secrets that a directory may have. */
const SECRET_FILES = [adminTokenFile, originKeyFile, logKeyFile, mcpTokenFile, witnessKeyFile]

/** The bits of a mode that give access to others than the owner. */
const OTHERS = 0o077

/** A file with a secret. `isExposed` is true if other users than its owner have access. */
type SecretFile = { path: string; mode: string; isExposed: boolean }

/** The existing files with secrets of a directory. Windows has no such modes. */
export const listSecretFiles = (directory: string): SecretFile[] =>
  SECRET_FILES.map(file => file(directory)).flatMap(path => {
    const bits = statSync(path, { throwIfNoEntry: false })?.mode
    if (bits === undefined) return []
    const mode = (bits & 0o777).toString(8).padStart(4, '0')
    return [{ path, mode, isExposed: (bits & OTHERS) !== 0 && process.platform !== 'win32' }]
  })

/** The sentence about an exposed file. */
export const exposedSentence = ({ path, mode }: SecretFile): string =>
  `${path} has mode ${mode}, so other users can read the secret; run chmod 600 on the file and replace the secret`

/** The SHA-256 of an admin token as lower-case hex. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex')

/** A digest that recognises an origin key, and from which no digest of a network can be computed. */
export const digestOfOriginKey = (originKey: string): string => hash('sha256', `origin key ${originKey}`).slice(0, 32)

/** The warning about an origin key that is not that of the last start; undefined if it is, or if the store is new. */
export function changeOfOriginKey(now: { digest: string; isNewKey: boolean; isNewStore: boolean }, before?: string) {
  if (now.digest === before || now.isNewStore || (before === undefined && !now.isNewKey)) return undefined
  const change = now.isNewKey ? 'the origin key was lost and made anew' : 'the origin key is another one'
  return `${change}: blocks of networks do not apply, and answers stored for retries cannot be read, until the earlier key is back`
}

/** The minimum length of a secret in a file, in characters. */
const SECRET_LEAST = 16

const randomSecret = (): string => `${randomBytes(32).toString('base64url')}\n`

/**
 * Returns the secret in a file of mode 0600. A missing file is created, by default with 256 random bits. A power cut leaves the whole file or
 * none.
 */
export function ensureSecret(path: string, make = randomSecret): string {
  if (!existsSync(path)) makeSecret(path, make())
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < SECRET_LEAST) {
    throw new OperatorError(
      `The secret in ${path} is shorter than ${SECRET_LEAST} characters; delete the file to have it made anew.`,
    )
  }
  return secret
}

/** The digest of the admin token in a file, which may be replaced while the service runs. A missing file and a short token change nothing. */
export class TokenFile {
  readonly #path: string
  #digest: string
  #version = ''

  /** Creates a missing file. */
  constructor(path: string) {
    this.#path = path
    this.#digest = digestOf(ensureSecret(path))
  }

  digest(): string {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    const version = `${found?.ino} ${found?.mtimeNs} ${found?.size}`
    if (found === undefined || version === this.#version) return this.#digest
    this.#version = version
    const token = readFileSync(this.#path, 'utf8').trim()
    if (token.length >= SECRET_LEAST) this.#digest = digestOf(token)
    return this.#digest
  }
}

/** Replaces the secret in a file by a new one, after `publish` has published its digest. A power cut leaves the earlier or the new one. */
export async function replaceSecret(path: string, publish: (digest: string) => Promise<void>): Promise<void> {
  const partial = `${path}.${randomBytes(8).toString('hex')}`
  const secret = randomSecret()
  try {
    writeFileSync(partial, secret, { mode: OWNER_ONLY_FILE, flag: 'wx' })
    syncMade(partial)
    await publish(digestOf(secret.trim()))
    renameSync(partial, path)
  } finally {
    rmSync(partial, { force: true })
  }
  syncMade(dirname(path))
}

function makeSecret(path: string, secret: string): void {
  const partial = `${path}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(partial, secret, { mode: OWNER_ONLY_FILE, flag: 'wx' })
    syncMade(partial)
    linkSync(partial, path)
  } catch (error) {
    // If several processes start at once, one creates the file for all.
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(partial, { force: true })
  }
  syncMade(dirname(path))
}
