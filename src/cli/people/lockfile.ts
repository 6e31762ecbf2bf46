import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { LIMITS } from '../../contract/limits.ts'
import { errorCode, OperatorError, systemFault } from '../../operator-error.ts'
import { syncPath } from '../../sync-path.ts'
import { CommandError, EXIT, type Invocation, UsageError } from '../command.ts'
import { askOnTerminal } from './confirm.ts'
import { baseUrlOf } from './session.ts'

/** A revision that a project relies on: the slug of its entry, its id, and the evidenceHash of its text. */
export type Pin = { slug: string; revisionId: string; evidenceHash: string }

/** The pins of a project, their service, and the sequence up to which its evidence is known. */
export type Lockfile = { service: string; sequence: string; pins: readonly Pin[] }

const LOCKFILE = 'palimpsest.lock'
/** The maximum number of pins in one lockfile: ten checks. */
export const PINS_MAX = 2_000
const BYTES_MAX = 1_000_000
/** The mode of the file. Its content is public. */
const MODE = 0o644

const VERSION_LINE = 'palimpsest-lock 1'
const SERVICE_LINE = /^service (https?:\/\/[!-~]+)$/
const SEQUENCE_LINE = new RegExp(`^sequence ([0-9]{1,${LIMITS.cursorDigits}})$`)
const PIN_LINE = new RegExp(
  `^([a-z0-9][a-z0-9-]{0,${LIMITS.slugCharacters - 1}})@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})#([0-9a-f]{64})$`,
)

const lineOf = ({ slug, revisionId, evidenceHash }: Pin): string => `${slug}@${revisionId}#${evidenceHash}`

/** Whether the parts of a pin have the format of a lockfile. */
export const isPin = (pin: Pin): boolean => PIN_LINE.test(lineOf(pin))

/** The text of a lockfile: the header, then one line for each pin, sorted by slug. */
function formatLockfile({ service, sequence, pins }: Lockfile): string {
  const lines = pins.map(lineOf).sort()
  return `${[VERSION_LINE, `service ${service}`, `sequence ${sequence}`, '', ...lines].join('\n')}\n`
}

/** Parses a lockfile. The error names the first invalid line. */
export function parseLockfile(text: string, file: string): Lockfile {
  const lines = text.split(/\r?\n/)
  const refuse = (index: number, what: string): never => {
    throw new UsageError(`${file}, line ${index + 1}: ${what}; restore the file from version control, or correct it.`)
  }
  if (lines[0] !== VERSION_LINE) refuse(0, `this must be "${VERSION_LINE}"`)
  const service = SERVICE_LINE.exec(lines[1] ?? '')?.[1] ?? refuse(1, 'this must be "service" and an http address')
  const sequence = SEQUENCE_LINE.exec(lines[2] ?? '')?.[1] ?? refuse(2, 'this must be "sequence" and a number')
  const pins = new Map<string, Pin>()
  for (const [index, line] of lines.entries()) {
    if (index < 3 || line === '') continue
    const [, slug = '', revisionId = '', evidenceHash = ''] =
      PIN_LINE.exec(line) ?? refuse(index, 'this is not slug@revisionId#evidenceHash')
    if (pins.has(slug)) refuse(index, `${slug} is pinned twice`)
    if (pins.size === PINS_MAX) refuse(index, `a lockfile has at most ${PINS_MAX} pins`)
    pins.set(slug, { slug, revisionId, evidenceHash })
  }
  return { service, sequence, pins: [...pins.values()] }
}

/** The text of a lockfile; undefined if the file does not exist. */
export function readLockText(file: string): string | undefined {
  try {
    const found = statSync(file)
    if (found.isFile() && found.size <= BYTES_MAX) return readFileSync(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new UsageError(`${file} cannot be read (${systemFault(error)}); name a lockfile with --file.`)
  }
  throw new UsageError(`${file} is not a file of at most ${BYTES_MAX} bytes; name a lockfile with --file.`)
}

/** Replaces a lockfile atomically. Throws if its text is no longer `earlier`, because another process wrote it. */
export function writeLockfile(file: string, lockfile: Lockfile, earlier: string | undefined): void {
  const partial = `${file}.${randomUUID()}.partial`
  try {
    const descriptor = openSync(partial, 'wx', MODE)
    try {
      fchmodSync(descriptor, MODE)
      writeSync(descriptor, formatLockfile(lockfile))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    if (readLockText(file) !== earlier) {
      throw new CommandError(
        `${file} was changed by another process; nothing was written, run the command again.`,
        EXIT.conflict,
      )
    }
    renameSync(partial, file)
    syncPath(dirname(file))
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${file} cannot be written (${systemFault(error)}); name another with --file.`)
  } finally {
    rmSync(partial, { force: true })
  }
}

/** The lockfile of a command line. */
export const lockfileName = ({ flags }: Invocation): string => flags.file ?? LOCKFILE

/**
 * The command line with the service of a lockfile, unless `--url` names one. A lockfile comes with a repository, and others may have
 * changed it. Therefore a service that is not the configured one is used only if a person at the terminal agrees.
 */
export async function atServiceOf(invocation: Invocation, lockfile: Lockfile | undefined): Promise<Invocation> {
  const { flags } = invocation
  if (lockfile === undefined || flags.url !== undefined) return invocation
  const { service } = lockfile
  if (service !== baseUrlOf(invocation)) {
    const finding = `${lockfileName(invocation)} names the service ${service}, which is not the configured one`
    const remedy = 'set PALIMPSEST_URL to it, or name a service with --url.'
    if ((await askOnTerminal(invocation, `${finding}. Use it? [y/N] `)) !== true)
      throw new UsageError(`${finding}; nothing was sent: ${remedy}`)
  }
  return { ...invocation, flags: { ...flags, url: service } }
}
