import type { Transaction, Write } from '../../database/database.ts'
import { KEPT_VERSION } from '../../domain/retained-text.ts'
import { findEntryByNumber } from '../../store/entry.ts'
import { readHead } from '../../store/head.ts'
import { findMirror } from '../../store/mirror.ts'
import * as store from '../../store/recount.ts'
import { findText } from '../../store/standing.ts'
import { keptTexts, rejudge } from './judgement.ts'
import { settleStanding } from './settle-standing.ts'

/** Number of entries per transaction. */
const PAGE = 500
/** Interval in milliseconds at which a long recount reports its progress. */
const SAY_INTERVAL = 5_000

/**
 * Computes the standing of every entry of a store that was written by an older version, in transactions of bounded size: it can be
 * stopped at any time and goes on where it was. Returns the number of entries that were looked at, 0 where all of it was done before.
 */
export async function recountStandings(
  write: Write,
  report: (line: string) => void = () => {},
  begin: 'where it ended' | 'anew' = 'where it ended',
): Promise<number> {
  if (begin === 'anew') await write(tx => store.saveProgress(tx, { version: KEPT_VERSION, entry: 0 }))
  let looked = 0
  let said = performance.now()
  for (;;) {
    const step = await write(recountPage)
    looked += step.looked
    if (step.entry === null) return looked
    if (performance.now() - said < SAY_INTERVAL) continue
    said = performance.now()
    report(`Computing standings: record ${step.entry} of ${step.record}`)
  }
}

async function recountPage(tx: Transaction): Promise<{ looked: number; entry: number | null; record: number }> {
  const { record } = await readHead(tx)
  const progress = await store.readProgress(tx)
  if (progress.version === KEPT_VERSION && progress.entry === null) return { looked: 0, entry: null, record }
  const from = progress.version === KEPT_VERSION ? (progress.entry ?? 0) : 0
  const page = await store.listRecounted(tx, from, PAGE)
  // A mirror does not have the texts of withdrawn records.
  const isCopy = (await findMirror(tx)) !== undefined
  for (const entry of page) if (!(isCopy && entry.withdrawn)) await recount(tx, entry)
  const entry = page.length < PAGE ? null : (page.at(-1)?.number ?? null)
  await store.saveProgress(tx, { version: KEPT_VERSION, entry })
  return { looked: page.length, entry, record }
}

async function recount(tx: Transaction, entry: store.RecountedRow): Promise<void> {
  if (entry.revisions > 1) await store.recountChanges(tx, entry.number)
  if (entry.evidence === 0 && entry.relations === 0) return
  await store.recountRelations(tx, entry.number)
  await numberOrigins(tx, entry.number)
  await store.forgetTexts(tx, entry.number)
  const texts = keptTexts(tx, entry.number)
  for (const revision of await store.listJudgedRevisions(tx, entry.number)) {
    const judged = await findText(tx, revision)
    if (judged !== undefined) await texts.numberOf(judged)
  }
  for (const actor of await store.listJudges(tx, entry.number)) await rejudge(tx, entry.number, actor)
  const current = await findEntryByNumber(tx, entry.number)
  if (current !== undefined) await settleStanding(tx, current)
}

/** Numbers the origins of a day that judged an entry, in the order of their first judgement. */
async function numberOrigins(tx: Transaction, entry: number): Promise<void> {
  const rows = await store.listJudgingOrigins(tx, entry)
  const groups = new Map<number, number>()
  let last = 0
  for (const { origin, origin_group: group } of rows) {
    last = Math.max(last, group)
    if (origin !== null && group > 0) groups.set(origin, group)
  }
  for (const { origin } of rows) {
    if (origin === null || groups.has(origin)) continue
    last += 1
    groups.set(origin, last)
    await store.numberOrigin(tx, entry, origin, last)
  }
  await store.saveOrigins(tx, entry, last)
}
