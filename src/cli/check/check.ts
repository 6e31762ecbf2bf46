import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { only, type Reader, StoreFault, sql } from '../../engine/database.ts'
import { isSqliteError } from '../../engine/sqlite.ts'
import { listRevisions, type RevisionRow, toRevision } from '../../memory/entries/rows.ts'
import { evidenceHash } from '../../memory/entries/rules.ts'
import { readHead } from '../../memory/head-rows.ts'
import { findMirror } from '../../mirror/rows.ts'
import { OperatorError, systemFault } from '../../operator-error.ts'
import { createProgress, type Progress, pace, percent } from '../../progress.ts'
import { EXIT, type Invocation, UsageError } from '../command.ts'
import { type Checksum, readChecksum } from '../stores/checksum.ts'
import { openFileSnapshot, openSnapshot, type Snapshot } from '../stores/snapshot.ts'
import type { LogVerdict } from './log.ts'
import { damageOfChanges, damageOfRows, damageOfSignals, damageOfStanding, damageOfTotals } from './rows.ts'

const WRONG_CHECKSUM =
  'The checksum of the file is wrong: the file was damaged or changed after its creation; use another backup.'
/** Data that neither a hash nor the public log covers. */
const UNLOGGED =
  'the answers stored for retries (Idempotency-Key), the names, tokens and observations of actors, networks and their blocks, reads, searches and unanswered questions, reports, and the counts of limits and cooldowns'
/** The last line of a check: the data whose change this command does not detect. */
const UNCOVERED = `No hash covers verifications, contradictions, relations, tags, slugs, activity, moderation, ${UNLOGGED}: a change of their text is not detected.`
const UNCOVERED_BY_LOG = `No hash covers ${UNLOGGED}: a change of these data is not detected.`

/** Recomputes the public log if --log is set. With `isDamaged`, the store has another fault, which may make the log unreadable. */
async function checkLog(
  { flags, switches }: Invocation,
  { store }: Snapshot,
  progress: Progress,
  isDamaged: boolean,
): Promise<LogVerdict | undefined> {
  if (!switches.has('log')) return undefined
  const { checkpoint } = flags
  const given = checkpoint === undefined ? undefined : readCheckpoint(resolve(checkpoint))
  const { verifyLog } = await import('./log.ts')
  try {
    return await verifyLog(store, progress, given)
  } catch (error) {
    if (!isDamaged) throw error
    return { faults: [`The public log cannot be read (${(error as Error).message}).`] }
  }
}

function readCheckpoint(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(`${path} cannot be read (${systemFault(error)}).`)
  }
}

/** Checks a store or a backup, and prints its counts. */
export async function checkStore(invocation: Invocation): Promise<number> {
  const { stdout, stderr } = invocation
  const { file, checkpoint } = invocation.flags
  if (checkpoint !== undefined && !invocation.switches.has('log')) throw new UsageError('--checkpoint needs --log.')
  const path = file === undefined ? undefined : resolve(file)
  await using snapshot = path === undefined ? await openSnapshot(invocation) : openFileSnapshot(path)
  using progress = createProgress(stderr)
  const { counts, damage } = await verifyStore(snapshot, progress)
  const log = await checkLog(invocation, snapshot, progress, damage !== undefined)
  const checksum: Checksum = path === undefined ? { found: 'none' } : await readChecksum(path)
  const faults = log !== undefined && 'faults' in log ? log.faults : []
  const found = [checksum.found === 'wrong' ? WRONG_CHECKSUM : undefined, damage, ...faults].filter(
    one => one !== undefined,
  )
  progress.end()
  if (found.length > 0) {
    stderr.write(`${found.join('\n')}\n`)
    return EXIT.failed
  }
  const covered =
    checksum.found === 'right'
      ? `The checksum of the file is right: SHA-256 ${checksum.digest}.`
      : log === undefined
        ? UNCOVERED
        : UNCOVERED_BY_LOG
  const proved = log !== undefined && 'proved' in log ? `${log.proved}\n` : ''
  stdout.write(
    `${snapshot.place} is intact: all hashes are correct.\n${countLines(counts)}${await snapshot.engineCheck()}\n${proved}${covered}\n`,
  )
  return EXIT.ok
}

/** The counts of a store, and its last sequence and record numbers. */
export type Counts = {
  entries: number
  revisions: number
  evidence: number
  relations: number
  moderations: number
  activity: number
  sequence: number
  record: number
}

/** `damage` is one sentence about the first fault; undefined if the store is intact. */
export type Verdict = { counts: Counts; damage: string | undefined }

type EntryHead = { number: number; id: string; slug: string; revision: number; revisions: number; withdrawn: number }

const NUMBER_PAGE = 10_000
/** Entries per batch: over a network a batch takes one round trip. Multiplied by the revisions read of each, this bounds the memory. */
const ENTRY_PAGE = 64
const REVISION_PAGE = 4

type Checked = Pick<Snapshot, 'store' | 'damageOfEngine'>

/**
 * Checks a whole store in bounded memory: the checks of its engine, its numbers, its totals, and the chain of hashes of each entry.
 * Throws StoreFault('broken') if its schema is not that of this version.
 */
export async function verifyStore(checked: Checked, progress: Progress): Promise<Verdict> {
  try {
    return await verify(checked, progress)
  } catch (error) {
    if (!isSqliteError(error)) throw error
    throw new StoreFault('broken', new Error(`its schema is damaged (${(error as Error).message})`, { cause: error }))
  }
}

async function verify({ store, damageOfEngine }: Checked, progress: Progress): Promise<Verdict> {
  progress.phase('Counting the rows of the store')
  const counts = await countStore(store)
  // A mirror lacks withdrawn records, and has its totals from the original.
  const whole = (await findMirror(store)) === undefined
  const ofWhole: Step[] = [
    ['the numbers of the records', () => damageOfNumbers(store, counts)],
    ['the totals', () => damageOfTotals(store)],
  ]
  const steps: Step[] = [
    ['the tables and indexes', damageOfEngine],
    ...(whole ? ofWhole : []),
    [`the hashes of ${counts.entries} entries`, () => damageOfEntries(store, counts, whole, progress)],
    ['the rows that repeat facts of a record', () => damageOfRows(store)],
  ]
  for (const [what, find] of steps) {
    progress.phase(`Checking ${what}`)
    const damage = await find()
    if (damage !== undefined) return { counts, damage }
  }
  return { counts, damage: undefined }
}

/** A step of the check: what it checks, and the function that finds damage there. */
type Step = [what: string, find: Snapshot['damageOfEngine']]

export async function countStore(store: Reader): Promise<Counts> {
  const { sequence, record } = await readHead(store)
  const rows = only(
    await store.one<Omit<Counts, 'sequence' | 'record'>>(sql`
    SELECT (SELECT count(*) FROM entry) AS entries, (SELECT count(*) FROM revision) AS revisions, (SELECT count(*) FROM evidence) AS evidence,
      (SELECT count(*) FROM relation) AS relations, (SELECT count(*) FROM moderation) AS moderations, (SELECT count(*) FROM activity) AS activity`),
  )
  return { ...rows, sequence, record }
}

/** The counts as lines of text. */
export const countLines = (counts: Counts): string =>
  [
    `  entries        ${counts.entries}`,
    `  revisions      ${counts.revisions}`,
    `  evidence       ${counts.evidence}`,
    `  relations      ${counts.relations}`,
    `  moderations    ${counts.moderations}`,
    `  activity       ${counts.activity}`,
    `  last sequence  ${counts.sequence}`,
    `  last record    ${counts.record}`,
    '',
  ].join('\n')

async function damageOfNumbers(store: Reader, { record, sequence }: Counts): Promise<string | undefined> {
  let last = 0
  for (;;) {
    const page = await store.all<{ number: number }>(sql`
      SELECT number FROM (SELECT number FROM revision UNION ALL SELECT number FROM evidence
        UNION ALL SELECT number FROM relation UNION ALL SELECT number FROM moderation
        UNION ALL SELECT number FROM log_epoch WHERE number > 0) AS records
      WHERE number > ${last} ORDER BY number LIMIT ${NUMBER_PAGE}`)
    for (const { number } of page) {
      if (number !== last + 1) return `Record ${last + 1} is missing, or record ${number} exists twice.`
      last = number
    }
    if (page.length < NUMBER_PAGE) break
  }
  if (last !== record) return `The last record is ${last}, but the head has ${record}.`
  const { newest } = only(await store.one<{ newest: number | null }>(sql`SELECT max(sequence) AS newest FROM activity`))
  return newest !== null && newest > sequence
    ? `Activity ${newest} is above the last sequence of the head, ${sequence}.`
    : undefined
}

async function damageOfEntries(
  store: Reader,
  { entries }: Counts,
  whole: boolean,
  progress: Progress,
): Promise<string | undefined> {
  let done = 0
  const began = performance.now()
  const check = async (page: readonly EntryHead[]): Promise<string | undefined> => {
    const seen = page.filter(({ withdrawn }) => whole || !withdrawn)
    const damages = await Promise.all(seen.map(entry => damageOfEntry(store, entry)))
    done += page.length
    progress.update(() => `${done} of ${entries} entries, ${percent(done, entries)}, ${pace(done, entries, began)}`)
    return damages.find(one => one !== undefined)
  }
  let checking: Promise<string | undefined> = Promise.resolve(undefined)
  for (let after = 0; ; ) {
    const page = await store.all<EntryHead>(
      sql`SELECT number, id, slug, revision, revisions, withdrawn FROM entry WHERE number > ${after} ORDER BY number LIMIT ${ENTRY_PAGE}`,
    )
    // A server reads this page while the page before is checked here.
    const next = check(page)
    next.catch(() => {})
    const damage = await checking
    if (damage !== undefined) return damage
    checking = next
    const last = page.at(-1)
    if (last === undefined || page.length < ENTRY_PAGE) return checking
    after = last.number
    // Signals are handled between pages.
    await new Promise(setImmediate)
  }
}

async function damageOfEntry(store: Reader, entry: EntryHead): Promise<string | undefined> {
  const found = await Promise.all([
    damageOfChain(store, entry),
    damageOfChanges(store, entry.number),
    damageOfStanding(store, entry.number),
  ])
  const damage = found.find(one => one !== undefined)
  return damage === undefined ? undefined : `Entry ${entry.id} (${entry.slug}) is damaged: ${damage}.`
}

/** Walks the revisions of an entry from the newest to the oldest, and returns the oldest one that does not match its hash. */
async function damageOfChain(store: Reader, entry: EntryHead): Promise<string | undefined> {
  let damage: string | undefined
  let newer: RevisionRow | undefined
  let above: string | undefined
  let expected = entry.revisions
  for (let newest = Number.MAX_SAFE_INTEGER; ; newest = expected) {
    const page = await listRevisions(store, entry.number, newest, REVISION_PAGE)
    for (const row of page) {
      if (row.ordinal > entry.revisions) {
        above = row.id
        continue
      }
      if (row.ordinal !== expected) return missing(expected, entry)
      if (newer === undefined && row.number !== entry.revision) {
        return `its latest revision is ${row.id}, but the entry names another one`
      }
      if (newer !== undefined) damage = damageOfRevision(newer, row.evidence_hash) ?? damage
      newer = row
      expected--
    }
    if (page.length < REVISION_PAGE) break
  }
  if (newer === undefined || expected !== 0) return missing(expected, entry)
  if (above !== undefined) return `revision ${above} is above the ${entry.revisions} that the entry counts`
  return damageOfRevision(newer, null) ?? damage
}

const missing = (ordinal: number, { revisions }: EntryHead): string => `revision ${ordinal} of ${revisions} is missing`

function damageOfRevision(row: RevisionRow, previousEvidenceHash: string | null): string | undefined {
  // Of an erased revision only the hash is left, while the next revision needs it.
  if (row.title === '') return undefined
  let computed: string
  try {
    const { evidenceHash: _stored, ...unhashed } = toRevision(row)
    computed = evidenceHash(unhashed, previousEvidenceHash)
  } catch (error) {
    return `revision ${row.id} (number ${row.ordinal}) cannot be served (${(error as Error).message})`
  }
  if (computed === row.evidence_hash) return damageOfSignals(row)
  return `revision ${row.id} (number ${row.ordinal}) has evidenceHash ${row.evidence_hash}, but its stored data results in ${computed}`
}
