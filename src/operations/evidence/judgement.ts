import { only, type Reader, type Transaction } from '../../database/database.ts'
import { hasWritten } from '../../domain/evidence/pieces.ts'
import * as store from '../../store/standing.ts'
import type { Context } from '../operation.ts'
import type { Writer } from '../writing.ts'
import { cutOf } from './settle-standing.ts'

/** The maximum number of own revisions that are examined. Who wrote more is taken for an author. */
const WRITTEN_MAX = 4
/** The number of revisions before an own one that are searched for its pieces, next to the first revision. */
const EARLIER_MAX = 16

/** What a judgement is stored with: the number of its voice within the entry, and whether its author wrote a part of the judged text. */
export type Position = { originGroup: number; own: boolean }

/** The position of a judgement by a writer. In a private memory there are no independent voices to protect: nothing is own. */
export async function positionOf(
  tx: Transaction,
  { privateMemory = false }: Context,
  { actor, origin }: Writer,
  { entry, number, ordinal }: { entry: number; number: number; ordinal: number },
): Promise<Position> {
  const voice = origin?.keys.voice ?? null
  const written = { entry, ordinal, actor: actor.number, voice }
  return {
    originGroup: voice === null ? 0 : await store.takeOriginGroup(tx, entry, voice),
    own: privateMemory ? false : await isAuthor(tx, written, number),
  }
}

type Written = Parameters<typeof store.listWritten>[1]

/** Whether an actor, or its network on that day, wrote a part of the text of a revision. */
async function isAuthor(reader: Reader, by: Written, revision: number): Promise<boolean> {
  const written = await store.listWritten(reader, by, WRITTEN_MAX + 1)
  if (written.length === 0) return false
  if (written.length > WRITTEN_MAX) return true
  const text = cutOf(only(await store.findText(reader, revision)))
  for (const { number, ordinal } of written) {
    const from = Math.max(2, ordinal - EARLIER_MAX)
    const ordinals = [...(ordinal > 1 ? [1] : []), ...Array.from({ length: ordinal - from }, (_, at) => from + at)]
    const earlier = await Promise.all(
      ordinals.map(async at => cutOf(only(await store.findTextByOrdinal(reader, by.entry, at)))),
    )
    if (hasWritten(cutOf(only(await store.findText(reader, number))), earlier, text)) return true
  }
  return false
}
