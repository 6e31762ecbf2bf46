import { only, type Reader, StoreFault } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { isSqliteError } from '../../database/sqlite.ts'
import { evidenceHash } from '../../domain/revision.ts'
import { readHead } from '../../store/head.ts'
import { findMirror } from '../../store/mirror.ts'
import { listRevisions, type RevisionRow, toRevision } from '../../store/revision.ts'
import { type Progress, percent } from '../progress.ts'
import type { Snapshot } from '../stores/snapshot.ts'
import { damageOfRows, damageOfSignals } from './rows.ts'
import { damageOfChanges, damageOfStanding } from './standing.ts'
import { damageOfTotals } from './totals.ts'

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
const ENTRY_PAGE = 32
const REVISION_PAGE = 16

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
  progress.phase('Checking the store')
  const counts = await countStore(store)
  // A mirror lacks withdrawn records, and has its totals from the original.
  const whole = (await findMirror(store)) === undefined
  const damage =
    (await damageOfEngine()) ??
    (whole ? ((await damageOfNumbers(store, counts)) ?? (await damageOfTotals(store))) : undefined) ??
    (await damageOfEntries(store, counts, whole, progress)) ??
    (await damageOfRows(store))
  return { counts, damage }
}

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
  progress.phase(`Recomputing the hashes of ${entries} entries`)
  let done = 0
  for (let after = 0; ; ) {
    const page = await store.all<EntryHead>(
      sql`SELECT number, id, slug, revision, revisions, withdrawn FROM entry WHERE number > ${after} ORDER BY number LIMIT ${ENTRY_PAGE}`,
    )
    const damages = await Promise.all(
      page.filter(({ withdrawn }) => whole || !withdrawn).map(entry => damageOfEntry(store, entry)),
    )
    const damage = damages.find(one => one !== undefined)
    if (damage !== undefined) return damage
    done += page.length
    progress.update(() => `${done} of ${entries} entries, ${percent(done, entries)}`)
    const last = page.at(-1)
    if (last === undefined || page.length < ENTRY_PAGE) return undefined
    after = last.number
    // Signals are handled between pages.
    await new Promise(setImmediate)
  }
}

async function damageOfEntry(store: Reader, entry: EntryHead): Promise<string | undefined> {
  const damage =
    (await damageOfChain(store, entry)) ??
    (await damageOfChanges(store, entry.number)) ??
    (await damageOfStanding(store, entry.number))
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
