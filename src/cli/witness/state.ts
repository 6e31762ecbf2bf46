import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyOf } from '../../domain/log/signer.ts'
import { OperatorError } from '../../operator-error.ts'
import { witnessKeyFile } from '../../secrets.ts'
import { makeDirectories, replaceFile, syncPath } from '../../sync-path.ts'
import { type Checkpoint, parseSignedCheckpoint } from '../../tlog/checkpoint.js'

/** The name of the file with the checkpoint of an origin, also in its address. */
const originHash = (origin: string): string => hash('sha256', origin, 'hex')

/** The state of a witness: the last cosigned checkpoint of each log. */
export type WitnessState = {
  /** The last cosigned checkpoint of an origin. */
  lastOf(origin: string): Checkpoint | undefined
  /** The note of the origin with this hash. */
  noteOf(originHash: string): string | undefined
  /** Stores a cosigned note. It survives a power cut after this returns. */
  keep(checkpoint: Checkpoint, note: string): void
}

/** Reads the state in a directory for these origins. Throws OperatorError if a file is damaged, because a witness must not lose its state. */
export function openWitnessState(directory: string, origins: readonly string[]): WitnessState {
  const folder = join(directory, 'checkpoints')
  makeDirectories(folder)
  syncPath(directory)
  const notes = new Map<string, string>()
  const last = new Map<string, Checkpoint>()
  for (const origin of origins) {
    const path = join(folder, originHash(origin))
    if (!existsSync(path)) continue
    const note = readFileSync(path, 'utf8')
    notes.set(originHash(origin), note)
    last.set(origin, readKept(path, note, origin))
  }
  return {
    lastOf: origin => last.get(origin),
    noteOf: name => notes.get(name),
    keep(checkpoint, note) {
      const name = originHash(checkpoint.origin)
      replaceFile(join(folder, name), note, syncPath)
      notes.set(name, note)
      last.set(checkpoint.origin, checkpoint)
    },
  }
}

function readKept(path: string, note: string, origin: string): Checkpoint {
  try {
    const checkpoint = parseSignedCheckpoint(note)
    if (checkpoint.origin === origin) return checkpoint
  } catch {}
  throw new OperatorError(
    `${path} is not the checkpoint that was cosigned for ${origin}; restore the file, because a witness must not lose its last checkpoints.`,
  )
}

/** The private key in the directory, created if it is missing. */
export function ensureWitnessKey(directory: string): KeyObject {
  const path = witnessKeyFile(directory)
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    replaceFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, syncPath)
  }
  try {
    return privateKeyOf(readFileSync(path, 'utf8'))
  } catch {
    throw new OperatorError(
      `${path} is not a private key in PEM (PKCS#8); restore it, or begin with an empty directory.`,
    )
  }
}
