import type { WorkList } from '../../client/index.ts'
import { WORK } from '../../contract/limits.ts'
import { WORK_KINDS } from '../../contract/vocabulary.ts'
import { standingLine } from '../../domain/evidence/standing-line.ts'
import { signalLine } from '../../domain/signals/sentences.ts'
import { type Output, stateStyle, styled } from './output.ts'
import type { Session } from './session.ts'
import { countOf, oneOf, plural } from './values.ts'

type Item = WorkList['items'][number]

/** Lists the most valuable checks, without entries that the actor of this machine wrote or judged. */
export async function work({ invocation, client, out, json }: Session): Promise<void> {
  const { kind, tag, limit = String(WORK.default) } = invocation.flags
  const { items } = await client.listWork({
    limit: countOf('--limit', limit, WORK.max),
    ...(kind === undefined ? {} : { kind: oneOf('--kind', kind.toUpperCase(), WORK_KINDS) }),
    ...(tag === undefined ? {} : { tag }),
  })
  for (const item of items) {
    if (json) out.json(item)
    else itemLines(out, item)
    await out.taken()
  }
  if (items.length === 0) out.note('There is no check for you.')
}

const WIDTH = Math.max(...WORK_KINDS.map(({ length }) => length)) + 2
const INDENT = ' '.repeat(WIDTH)

function itemLines(out: Output, { kind, reason, entry, topic }: Item): void {
  const name = styled('yellow', kind.padEnd(WIDTH))
  if (topic !== undefined) {
    const { networks = 0 } = reason
    out.line(name, styled('bold', topic.term))
    out.line(INDENT, `searched for by ${plural(networks, 'network')} on ${topic.day}, without a result`)
  }
  if (entry === undefined) return
  const { readers = 0, daysSinceCheck } = reason
  const checked = typeof daysSinceCheck === 'number' ? `checked ${plural(daysSinceCheck, 'day')} ago` : 'never checked'
  out.line(name, styled('bold', entry.title), '  ', styled('cyan', entry.slug))
  out.line(INDENT, styled(stateStyle(entry.standing.state), standingLine(entry.standing)))
  if (entry.signals.length > 0) out.line(INDENT, styled('yellow', signalLine(entry.signals)))
  out.line(INDENT, styled('dim', `${plural(readers, 'reader')} · ${checked}`))
}
