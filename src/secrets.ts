import { hash, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/** The SHA-256 of an admin token as lower-case hex. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex')

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
