import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EvidenceItemInput } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import { assertNoSecret } from '../actors/rules.ts'
import { findAddress } from '../entries/rows.ts'
import type { RemoteCaller, WriteOperation } from '../operation.ts'
import { beginWrite, takeOrigin } from '../write.ts'
import { findJudged, recordJudgement, resultOf } from './judge.ts'

const HOUR = 3_600_000
const MARK_CHARACTERS = 12
const HANDLE = /^([0-9a-z]{1,11})\.[\w-]{12}$/

type Reader = Pick<RemoteCaller, 'actor' | 'origin' | 'at'>

/**
 * The handle with which a reader can judge the revision that it read: the record number of the revision, and a mark of it, of the reader's
 * actor (without a token, its network) and of the hour. Nothing is stored.
 */
export function handleOf(key: string, revision: number, { actor, origin, at }: Reader): string {
  const hour = Math.floor(at / HOUR)
  const read = `feedback ${revision} ${actor ?? origin.networkKey} ${hour}`
  return `${revision.toString(36)}.${createHmac('sha256', key).update(read).digest('base64url').slice(0, MARK_CHARACTERS)}`
}

/**
 * The record number of the revision that a handle names. Returns undefined unless the handle was made in this hour or the one before, for
 * the actor or for its network without a token.
 */
export function revisionOfHandle(key: string, handle: string, { actor, origin, at }: Reader): number | undefined {
  const [, digits] = HANDLE.exec(handle) ?? []
  if (digits === undefined) return undefined
  const revision = Number.parseInt(digits, 36)
  const made = [actor, null].flatMap(reader =>
    [at, at - HOUR].map(then => handleOf(key, revision, { actor: reader, origin, at: then })),
  )
  return made.some(one => one.length === handle.length && timingSafeEqual(Buffer.from(one), Buffer.from(handle)))
    ? revision
    : undefined
}

/** The rationale of a verification if the reader only reports that the text worked. */
const WORKED = 'It worked as described.'

/** Records that a text that the caller read worked or failed, as a verification or a contradiction of that revision. */
export const sendFeedback: WriteOperation<'sendFeedback'> = async (tx, context, { body, caller, judged: revision }) => {
  const { outcome, observedOn, rationale = outcome === 'WORKED' ? WORKED : undefined } = body
  if (rationale === undefined) throw new Problem('MISSING_MEMBER', { member: 'rationale' })
  const verdict: Pick<EvidenceItemInput, 'kind' | 'result' | 'confidence'> =
    outcome === 'WORKED' ? { kind: 'VERIFY', result: 'SUPPORTED', confidence: 1 } : { kind: 'CONTRADICT' }
  const [writer, { said, judged }] = await beginWrite(tx, context, caller, [verdict.kind], async () => {
    const address = revision === undefined ? undefined : await findAddress(tx, revision)
    if (address === undefined) throw new Problem('HANDLE_REFUSED')
    const said = { ...address, ...verdict, rationale, ...(observedOn === undefined ? {} : { observedOn }) }
    return { said, judged: await findJudged(tx, said) }
  })
  assertNoSecret({ rationale, observedOn })
  const origin = await takeOrigin(tx, writer)
  return { body: resultOf(await recordJudgement(tx, context, { writer, origin }, judged, said)) }
}
