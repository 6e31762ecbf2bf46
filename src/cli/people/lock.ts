import type { Client, Entry } from '../../client/index.ts'
import { CommandError, EXIT, type Invocation, mistake, UsageError } from '../command.ts'
import {
  atServiceOf,
  isPin,
  type Lockfile,
  lockfileName,
  PINS_MAX,
  type Pin,
  parseLockfile,
  readLockText,
  writeLockfile,
} from './lockfile.ts'
import { checkPins, readBatches, writeFindings, writeSignals } from './pins.ts'
import { inSession, type Session } from './session.ts'
import { entryName, plural } from './values.ts'

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

type Change = {
  file: string
  text: string | undefined
  earlier: Lockfile | undefined
  pinned: readonly Pinned[]
  others: readonly Pin[]
}

/** Writes the lockfile. Its sequence advances only if there is no newer evidence about the unchanged pins. */
async function store({ baseUrl, client, out, json }: Session, change: Change): Promise<void> {
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
