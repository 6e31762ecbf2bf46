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
import type { Batch, Client, Entry, PinsReport } from '../../client/index.ts'
import { evidenceHashOf } from '../../client/log.ts'
import { LIMITS } from '../../contract/limits.ts'
import { standingLine } from '../../memory/evidence/rules.ts'
import { allSignals, signalLine } from '../../memory/signals/text.ts'
import { errorCode, OperatorError, systemFault } from '../../operator-error.ts'
import { syncPath } from '../../sync-path.ts'
import { CommandError, EXIT, type Invocation, mistake, UsageError } from '../command.ts'
import { entryName, plural } from './flags.ts'
import { type Output, stateStyle, styled } from './output.ts'
import { askOnTerminal } from './publish.ts'
import { baseUrlOf, inSession, type Session } from './session.ts'

/** A revision that a project relies on: the slug of its entry, its id, and the evidenceHash of its text. */
export type Pin = { slug: string; revisionId: string; evidenceHash: string }

/** The pins of a project, their service, and the sequence up to which its evidence is known. */
type Lockfile = { service: string; sequence: string; pins: readonly Pin[] }

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
const isPin = (pin: Pin): boolean => PIN_LINE.test(lineOf(pin))

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
function readLockText(file: string): string | undefined {
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
const lockfileName = ({ flags }: Invocation): string => flags.file ?? LOCKFILE

/**
 * The command line with the service of a lockfile, unless `--url` names one. A lockfile comes with a repository, and others may have
 * changed it. Therefore a service that is not the configured one is used only if a person at the terminal agrees.
 */
async function atServiceOf(invocation: Invocation, lockfile: Lockfile | undefined): Promise<Invocation> {
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

/** The maximum bytes of a body without its pins. */
const ENVELOPE_BYTES = 100

/** A finding of the service about a pin, or that its text differs from the pinned one. */
type LockFinding =
  | PinsReport['items'][number]
  | { kind: 'ALTERED'; entry: string; revisionId: string; evidenceHash: string; recomputed: string | null }

/**
 * Checks pins in as few requests as the limits allow: 200 pins and the size of a body. The sequence is that of the first answer, so that
 * the next check misses no evidence.
 */
export async function checkPins(client: Client, pins: readonly Pin[], since?: string): Promise<PinsReport | undefined> {
  let report: PinsReport | undefined
  for (const part of requestsOf(pins)) {
    const answer = await client.checkPins({ ...(since === undefined ? {} : { since }), pins: part })
    report =
      report === undefined
        ? answer
        : { ...report, items: [...report.items, ...answer.items], same: report.same + answer.same }
  }
  return report
}

type PinQuery = { slug: string; revisionId: string }

function requestsOf(pins: readonly Pin[]): PinQuery[][] {
  const requests: PinQuery[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const { slug, revisionId } of pins) {
    const asked = { slug, revisionId }
    const size = JSON.stringify(asked).length + 1
    const last = requests.at(-1)
    if (last === undefined || last.length === LIMITS.pins || bytes + size > LIMITS.bodyBytes) {
      requests.push([asked])
      bytes = ENVELOPE_BYTES + size
    } else {
      last.push(asked)
      bytes += size
    }
  }
  return requests
}

/** Reads entries or revisions in batches, in the requested order. */
async function* readBatches(
  client: Client,
  ids: readonly string[],
): AsyncGenerator<{ id: string; item: Batch['items'][number] | undefined }, void, undefined> {
  for (let from = 0; from < ids.length; from += LIMITS.batch) {
    const asked = ids.slice(from, from + LIMITS.batch)
    const { items } = await client.readBatch({ ids: asked.join(',') })
    for (const [index, id] of asked.entries()) yield { id, item: items[index] }
  }
}

/** The pins whose served text does not match the pinned hash, in bounded memory. */
async function findAltered(client: Client, pins: readonly Pin[]): Promise<LockFinding[]> {
  const altered: LockFinding[] = []
  for (let from = 0; from < pins.length; from += LIMITS.batch) {
    altered.push(...(await alteredOf(client, pins.slice(from, from + LIMITS.batch))))
  }
  return altered
}

async function alteredOf(client: Client, pins: readonly Pin[]): Promise<LockFinding[]> {
  const revisions = await revisionsOf(
    client,
    pins.map(({ revisionId }) => revisionId),
  )
  const before = [...revisions.values()].flatMap(({ previousRevisionId }) => previousRevisionId ?? [])
  const previous = await revisionsOf(client, before)
  const findings = pins.map(async ({ slug, revisionId, evidenceHash }): Promise<LockFinding[]> => {
    const revision = revisions.get(revisionId)
    const chained = previous.get(revision?.previousRevisionId ?? '')?.evidenceHash ?? null
    const recomputed = revision === undefined ? null : await evidenceHashOf(revision, chained)
    return recomputed === evidenceHash ? [] : [{ kind: 'ALTERED', entry: slug, revisionId, evidenceHash, recomputed }]
  })
  return (await Promise.all(findings)).flat()
}

async function revisionsOf(client: Client, ids: readonly string[]) {
  const found = new Map<string, Extract<Batch['items'][number], { evidenceHash: string }>>()
  for await (const { id, item } of readBatches(client, [...new Set(ids)])) {
    if (item !== undefined && 'evidenceHash' in item && item.id === id) found.set(id, item)
  }
  return found
}

/** The maximum column width of slugs. A longer slug shifts the rest of its line. */
const SLUG_COLUMNS = 40
const KIND_COLUMNS = 'WITHDRAWN'.length

/** Prints findings as a table, with rationales in blocks. */
function writeFindings(out: Output, findings: readonly LockFinding[]): void {
  const columns = Math.min(SLUG_COLUMNS, Math.max(0, ...findings.map(({ entry }) => entry.length)))
  for (const finding of findings) {
    const style = finding.kind === 'REVISED' ? 'yellow' : 'red'
    const head = [styled(style, finding.kind.padEnd(KIND_COLUMNS)), '  ', finding.entry.padEnd(columns), '  '] as const
    if (finding.kind === 'ALTERED') out.line(...head, alteredText(finding.recomputed))
    else writeFinding(out, head, finding)
  }
}

const alteredText = (recomputed: string | null): string =>
  recomputed === null
    ? 'the pinned revision could not be read, so its hash was not checked'
    : `the served text has the hash ${recomputed}, not the pinned one`

type Head = Parameters<Output['line']>

function writeFinding(
  out: Output,
  head: Readonly<Head>,
  { kind, revised, evidence, signals = [] }: PinsReport['items'][number],
): void {
  if (revised !== undefined) {
    const change =
      revised.changed === null
        ? 'not compared because the check was too large'
        : `${plural(revised.changed, 'sentence')} changed`
    out.line(...head, `${revised.changeType}, ${plural(revised.revisions, 'later revision')}, ${change}`)
    for (const { text } of revised.removed) out.line('  ', styled('red', '- '), text)
    for (const { text } of revised.added) out.line('  ', styled('green', '+ '), text)
    out.block(revised.rationale)
    const { standing } = revised
    if (standing !== undefined) out.line('  ', styled(stateStyle(standing.state), standingLine(standing)))
  } else if (evidence !== undefined) {
    const added = evidence.added === null ? '' : `, ${evidence.added} new`
    out.line(...head, styled(stateStyle(evidence.state), standingLine(evidence)), added)
    if (evidence.objection !== null) out.block(evidence.objection.rationale)
  } else out.line(...head, kind === 'WITHDRAWN' ? 'the entry was withdrawn' : 'the entry has no such revision')
  const { removed = [], added = [] } = revised ?? {}
  writeSignals(out, allSignals({ signals }, evidence?.objection, revised, ...removed, ...added))
}

/** Prints the signals of the row above, if it has any. */
export function writeSignals(out: Output, signals: readonly string[]): void {
  if (signals.length > 0) out.line('  ', styled('yellow', signalLine(signals)))
}

/** Pins the current revisions of entries in a lockfile; without slugs, those of all pinned entries. */
export async function lock(invocation: Invocation): Promise<number> {
  const file = lockfileName(invocation)
  const text = readLockText(file)
  const earlier = text === undefined ? undefined : parseLockfile(text, file)
  const named = [...new Set(invocation.args.map(one => entryName(one)))]
  const names = named.length > 0 ? named : (earlier?.pins ?? []).map(({ slug }) => slug)
  if (names.length === 0) throw new UsageError(`${file} pins nothing yet; name the SLUG of each entry to pin.`)
  return inSession(await atServiceOf(invocation, earlier), async session => {
    if (named.length > 0 && earlier !== undefined && earlier.service !== session.baseUrl) {
      throw new UsageError(
        `${file} pins entries of ${earlier.service}; omit SLUG to read all of them from --url, or name another --file.`,
      )
    }
    const pinned = await currentPins(session.client, names, file)
    const slugs = new Set(pinned.map(({ slug }) => slug))
    const others = named.length === 0 ? [] : (earlier?.pins ?? []).filter(({ slug }) => !slugs.has(slug))
    if (others.length + pinned.length > PINS_MAX) throw mistake(`${file} would have more than ${PINS_MAX} pins.`)
    await store(session, { file, text, earlier, pinned, others })
  })
}

/** A pin of a current revision, and what is noticed in its text. */
type Pinned = Pin & { signals: readonly string[] }

type LockChange = {
  file: string
  text: string | undefined
  earlier: Lockfile | undefined
  pinned: readonly Pinned[]
  others: readonly Pin[]
}

/** Writes the lockfile. Its sequence advances only if there is no newer evidence about the unchanged pins. */
async function store({ baseUrl, client, out, json }: Session, change: LockChange): Promise<void> {
  const { file, text, earlier, pinned, others } = change
  const aboutOthers = await checkPins(client, others, earlier?.sequence)
  const aboutPinned = await checkPins(client, pinned)
  const unread = (aboutOthers?.items ?? []).filter(({ kind }) => kind === 'EVIDENCE')
  const latest = aboutOthers?.sequence ?? aboutPinned?.sequence ?? '0'
  const sequence = unread.length > 0 && earlier !== undefined ? earlier.sequence : latest
  const locked = pinned.map(({ signals: _, ...pin }) => pin)
  const lockfile = { service: baseUrl, sequence, pins: [...others, ...locked] }
  writeLockfile(file, lockfile, text)
  if (json) return out.json({ file, ...lockfile })
  for (const pin of pinned) {
    const before = earlier?.pins.find(({ slug }) => slug === pin.slug)
    if (before?.revisionId === pin.revisionId) continue
    out.line(before === undefined ? 'Pinned ' : 'Moved ', `${pin.slug} to revision ${pin.revisionId}`)
    writeSignals(out, pin.signals)
  }
  out.line(`${file} has ${plural(lockfile.pins.length, 'pin')} of ${baseUrl}, sequence ${sequence}`)
  writeFindings(out, aboutPinned?.items ?? [])
  if (unread.length > 0) out.note(`There is new evidence about other pins; "palimpsest audit" shows it.`)
}

async function currentPins(client: Client, names: readonly string[], file: string): Promise<Pinned[]> {
  const entries = new Map<string, Entry>()
  const missing: string[] = []
  for await (const { id, item } of readBatches(client, names)) {
    if (item !== undefined && 'currentRevisionId' in item) entries.set(item.currentRevisionId, item)
    else missing.push(id)
  }
  if (missing.length > 0) {
    throw new CommandError(
      `These entries do not exist or were withdrawn: ${missing.join(', ')}. Nothing was written; omit them, or delete their lines from ${file}.`,
      EXIT.notFound,
    )
  }
  const pins: Pinned[] = []
  for await (const { id, item } of readBatches(client, [...entries.keys()])) {
    const { slug = '', signals = [] } = entries.get(id) ?? {}
    const evidenceHash = item !== undefined && 'evidenceHash' in item && item.id === id ? item.evidenceHash : ''
    const pin = { slug, revisionId: id, evidenceHash }
    if (!isPin(pin)) throw mistake('The service did not return the latest revision of an entry; check --url.')
    pins.push({ ...pin, signals })
  }
  return pins
}

/** Reports the findings about the pins of a lockfile. Exit code 1 means only findings. */
export async function audit(invocation: Invocation): Promise<number> {
  const file = lockfileName(invocation)
  const text = readLockText(file)
  if (text === undefined) throw new UsageError(`There is no ${file}; "palimpsest lock SLUG" creates it.`)
  const lockfile = parseLockfile(text, file)
  let findings = 0
  try {
    await inSession(await atServiceOf(invocation, lockfile), async session => {
      findings = await report(session, lockfile)
    })
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== EXIT.failed) throw error
    throw new CommandError(error.message, EXIT.noAnswer)
  }
  return findings === 0 ? EXIT.ok : EXIT.failed
}

async function report(
  { invocation, baseUrl, client, out, json }: Session,
  { pins, sequence }: Lockfile,
): Promise<number> {
  const checked = await checkPins(client, pins, sequence)
  const absent = new Set(checked?.items.filter(({ revised, evidence }) => !revised && !evidence).map(keyOf))
  const readable = pins.filter(({ slug, revisionId }) => !absent.has(keyOf({ entry: slug, revisionId })))
  const altered = invocation.switches.has('verify') ? await findAltered(client, readable) : []
  const items: LockFinding[] = [...(checked?.items ?? []), ...altered]
  const found = new Set(items.map(keyOf))
  const same = pins.filter(({ slug, revisionId }) => !found.has(keyOf({ entry: slug, revisionId }))).length
  if (json) out.json({ service: baseUrl, sequence, ...checked, items, same })
  else {
    writeFindings(out, items)
    out.line(`${plural(same, 'pin')} without findings at ${baseUrl}`)
  }
  if (checked !== undefined && BigInt(checked.sequence) < BigInt(sequence)) {
    out.note(
      `The service is at sequence ${checked.sequence}, before ${sequence} of the lockfile, so new evidence cannot be distinguished from old.`,
    )
  }
  return items.length
}

const keyOf = ({ entry, revisionId }: Pick<LockFinding, 'entry' | 'revisionId'>): string => `${entry}@${revisionId}`
