import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from './operator-error.ts'

/** What a node must know and never show: the SHA-256 of the admin token as lower-case hex, and the key of the origins. */
export type Secrets = { adminDigest: string; originKey: string }

export const adminTokenFile = (directory: string): string => join(directory, 'admin-token')
export const originKeyFile = (directory: string): string => join(directory, 'origin-key')

/** Gives the secret in a file of mode 0600, made now from 256 random bits if there is none. */
export function ensureSecret(path: string): string {
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < 16) {
    throw new OperatorError(
      `The secret in ${path} is shorter than 16 characters; delete the file to have it made anew.`,
    )
  }
  return secret
}
