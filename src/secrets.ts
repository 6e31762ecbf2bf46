import { hash, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
export type SecretFile = { path: string; mode: string; isExposed: boolean }

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

const randomSecret = (): string => `${randomBytes(32).toString('base64url')}\n`

/**
 * Returns the secret in a file of mode 0600. A missing file is created, by default with 256 random bits. A power cut leaves the whole file or
 * none.
 */
export function ensureSecret(path: string, make = randomSecret): string {
  if (!existsSync(path)) makeSecret(path, make())
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < 16) {
    throw new OperatorError(
      `The secret in ${path} is shorter than 16 characters; delete the file to have it made anew.`,
    )
  }
  return secret
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
