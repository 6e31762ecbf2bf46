import type { AppealInput, Decision } from '../../client/index.ts'
import { LIMITS } from '../../contract/limits.ts'
import { CommandError, EXIT, UsageError } from '../command.ts'
import { countOf } from './flags.ts'
import { type Output, styled } from './output.ts'
import { checkInput, type Session } from './session.ts'

/** Lists the newest acts of moderation on the actor and its texts; with DECISION, appeals one of them. */
export async function appeal({ invocation, client, out, json }: Session): Promise<void> {
  const { flags, args } = invocation
  const [decision] = args
  if (client.token() === undefined)
    throw new CommandError('There is no actor for this service, so no act is on its texts.', EXIT.notFound)
  if (decision === undefined && flags.rationale !== undefined)
    throw new UsageError('--rationale needs DECISION, the id of the act to appeal.')
  if (decision !== undefined) {
    const input = { decision, rationale: flags.rationale ?? '' }
    const made = await client.createAppeal(checkInput<AppealInput>(invocation, 'AppealInput', input))
    return json ? out.json(made) : writeDecision(out, made)
  }
  const limit = countOf('--limit', flags.limit ?? String(LIMITS.pageDefault), LIMITS.pageMax)
  const { items } = await client.listDecisions({ limit })
  for (const item of items) json ? out.json(item) : writeDecision(out, item)
  if (items.length === 0) out.note('No act of moderation is on your actor or your texts.')
}

function writeDecision(out: Output, row: Decision): void {
  const { id, createdAt, action, ground, targetType, targetId, undoneAt, appealable, appeal: own } = row
  out.line(styled('dim', `${out.time(createdAt)} `), styled('bold', action), ` ${targetType} ${targetId}  ${ground}`)
  const state = undoneAt === null ? (appealable ? ', can be appealed' : '') : `, undone ${out.time(undoneAt)}`
  out.line(`  decision ${id}${state}`)
  out.block(row.reason)
  if (own === null) return
  out.line(`  your appeal: ${own.outcome?.result ?? 'open'}`)
  out.block(own.rationale)
  if (own.outcome !== null) out.block(own.outcome.reason)
}
