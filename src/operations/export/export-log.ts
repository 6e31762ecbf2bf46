import type { ExportLine } from '../../contract/resources.ts'
import type { Reader } from '../../database/database.ts'
import { commitmentOf } from '../../domain/log/statement.ts'
import { type ExportContext, type ExportRow, isWithdrawn, recordOf } from '../../store/export.ts'
import type { RecordRange } from '../../store/head.ts'
import { type Epoch, readSalts } from '../../store/log.ts'
import { findLogged, listUnlisted } from '../../store/log-records.ts'
import { findWithdrawingAct } from '../../store/moderation.ts'

/** Number of records of moderation per read. */
const ACTS_PAGE = 500

/** Reads the members about the public log for the lines of these rows. A mirror has no commitments of records that it erased. */
export async function contextOf(
  reader: Reader,
  epochs: readonly Epoch[],
  rows: readonly ExportRow[],
): Promise<ExportContext> {
  const records = rows.flatMap(row => recordOf(row)?.record ?? [])
  const range = { above: Math.min(...records) - 1, upTo: Math.max(...records) }
  const saltOf = records.length === 0 ? () => undefined : await readSalts(reader, epochs, range)
  const commitments = new Map<number, string>()
  const acts = new Map<number, number>()
  await Promise.all(
    rows.filter(isWithdrawn).map(async row => {
      const { record, kind } = recordOf(row) as NonNullable<ReturnType<typeof recordOf>>
      const salt = saltOf(record)
      const [act, logged] = await Promise.all([
        findWithdrawingAct(reader, row.sequence),
        salt === undefined ? undefined : findLogged(reader, epochs, kind, record),
      ])
      if (act !== undefined) acts.set(row.sequence, act)
      if (salt !== undefined && logged !== undefined)
        commitments.set(record, commitmentOf(salt, logged.statement).toString('base64'))
    }),
  )
  return { saltOf: record => saltOf(record)?.toString('base64'), commitments, acts }
}

/** The lines of the records between two numbers that have no row of activity, in order. */
export async function* linesWithoutRow(
  reader: Reader,
  epochs: readonly Epoch[],
  { above, upTo }: RecordRange,
): AsyncGenerator<ExportLine & { record: string }> {
  if (epochs.length === 0) return
  for (let from = above; from < upTo; from += ACTS_PAGE) {
    const range = { above: from, upTo: Math.min(from + ACTS_PAGE, upTo) }
    const [records, saltOf] = await Promise.all([listUnlisted(reader, epochs, range), readSalts(reader, epochs, range)])
    for (const { record, kind, statement } of records) {
      const salt = saltOf(record)
      if (salt === undefined) continue
      if (kind === 'moderation') {
        yield { type: kind, record: String(record), commitment: commitmentOf(salt, statement).toString('base64') }
      } else {
        yield { type: 'continuation', record: String(record), salt: salt.toString('base64'), statement }
      }
    }
  }
}
