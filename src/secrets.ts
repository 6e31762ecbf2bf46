import { hash, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from './operator-error.ts'
import { syncMade } from './sync-path.ts'

/** What a node must know and never show: the SHA-256 of the admin token as lower-case hex, and the key of the origins. */
export type Secrets = { adminDigest: string; originKey: string }

export const adminTokenFile = (directory: string): string => join(directory, 'admin-token')
export const originKeyFile = (directory: string): string => join(directory, 'origin-key')

/** The SHA-256 of an admin token as lower-case hex. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex')

/** Gives the secret in a file of mode 0600, made now from 256 random bits if there is none: wholly or not at all, whenever the power goes. */
export function ensureSecret(path: string): string {
  if (!existsSync(path)) makeSecret(path)
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < 16) {
    throw new OperatorError(
      `The secret in ${path} is shorter than 16 characters; delete the file to have it made anew.`,
    )
  }
  return secret
}

function makeSecret(path: string): void {
  const partial = `${path}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(partial, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
    syncMade(partial)
    linkSync(partial, path)
  } catch (error) {
    // Of processes that start at once one makes it for all.
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  } finally {
    rmSync(partial, { force: true })
  }
  syncMade(dirname(path))
}
