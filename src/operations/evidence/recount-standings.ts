import type { Transaction } from '../../database/database.ts'
import { RETAINED_VERSION } from '../../domain/evidence/retained-text.ts'
import { findEntryByNumber } from '../../store/entry.ts'
import { findMirror } from '../../store/mirror.ts'
import * as store from '../../store/recount.ts'
import { findText } from '../../store/standing.ts'
import { rejudge, storedTexts } from './judgement.ts'
import { type Derived, type Recounting, recount } from './recount.ts'
import { settleStanding } from './settle-standing.ts'

/** Number of entries per transaction. */
const PAGE = 500

const STANDINGS: Derived = {
  noun: 'standings',
  version: RETAINED_VERSION,
  readProgress: store.readStandingProgress,
  saveProgress: store.saveStandingProgress,
  async recountPage(tx, after) {
    const page = await store.listRecounted(tx, after, PAGE)
    // A mirror does not have the texts of withdrawn records.
    const isCopy = (await findMirror(tx)) !== undefined
    for (const entry of page) if (!(isCopy && entry.withdrawn)) await recountEntry(tx, entry)
    return { looked: page.length, last: page.length < PAGE ? null : (page.at(-1)?.number ?? null) }
  },
}

/** Computes the standing of every entry, as `recount` does. Returns the number of entries that were looked at. */
export const recountStandings = (...[write, report, begin]: Recounting): Promise<number> =>
  recount(STANDINGS, write, report, begin)

async function recountEntry(tx: Transaction, entry: store.RecountedRow): Promise<void> {
  if (entry.revisions > 1) await store.recountChanges(tx, entry.number)
  if (entry.evidence === 0 && entry.relations === 0) return
  await store.recountRelations(tx, entry.number)
  await numberOrigins(tx, entry.number)
  await store.forgetTexts(tx, entry.number)
  const texts = storedTexts(tx, entry.number)
  for (const revision of await store.listJudgedRevisions(tx, entry.number)) {
    const judged = await findText(tx, revision)
    if (judged !== undefined) await texts.numberOf(judged)
  }
  await rejudge(tx, entry.number, await store.listJudges(tx, entry.number))
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
