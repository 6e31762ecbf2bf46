import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../operator-error.ts'
import { replaceFile, syncMade } from '../sync-path.ts'
import { logSigner, type Signer } from './rules/signer.ts'

const PEM = /-{5}BEGIN PRIVATE KEY-{5}[^-]+-{5}END PRIVATE KEY-{5}/g

/** A new key of a log as PEM (PKCS#8): Ed25519, then ML-DSA-44. */
export const makeLogKey = (): string =>
  (['ed25519', 'ml-dsa-44'] as const)
    .map(type => generateKeyPairSync(type as 'ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
    .join('')

/** The private keys in a text: Ed25519, and ML-DSA-44 if it has one. Throws OperatorError that names `place` on any other text. */
export function privateKeysOf(pem: string, place: string): KeyObject[] {
  const keys = (pem.match(PEM) ?? []).map(text => keyOf(text, place))
  const [first, second, third] = keys.sort((a, b) =>
    String(a.asymmetricKeyType).localeCompare(String(b.asymmetricKeyType)),
  )
  const fits = first?.asymmetricKeyType === 'ed25519' && (second?.asymmetricKeyType ?? 'ml-dsa-44') === 'ml-dsa-44'
  if (fits && third === undefined) return keys
  throw new OperatorError(
    `${place} must have an Ed25519 key and may have an ML-DSA-44 key, as PEM (PKCS#8): "openssl genpkey -algorithm ed25519" makes one.`,
  )
}

function keyOf(pem: string, place: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    throw new OperatorError(`${place} has a key that cannot be read (${(error as Error).message}).`)
  }
}

/** The signers of a log, Ed25519 first. */
export const signersOf = (origin: string, keys: readonly KeyObject[]): Signer[] =>
  keys.map(key => logSigner(origin, key))

/** The public keys of a log, one per line. */
export const publicKeysOf = (origin: string, keys: readonly KeyObject[]): string =>
  signersOf(origin, keys)
    .map(({ vkey }) => `${vkey}\n`)
    .join('')

/** The file of a data directory with the last checkpoint that was published from there. */
export const logHeadFile = (directory: string): string => join(directory, 'log-head')

/** The last note in the file; undefined if there is none. */
export const readLogHeadFile = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

/** Writes a note to the file atomically. The note survives a power cut once this returns. */
export const writeLogHeadFile = (path: string, note: string): void => replaceFile(path, note, syncMade)
