import type { Client } from '../client/index.ts'
import type { EvidenceInput, EvidenceResult } from '../client/resources.ts'
import { ContradictInput, OBSERVED_ON, QUOTE, VerifyInput } from '../contract/inputs.ts'
import { LIMITS } from '../contract/limits.ts'
import { remedyOf } from '../contract/problems.ts'
import { type Properties, Type } from '../contract/schema.ts'
import { ACTING, CLOSED, entry, inputOf, optionalOf, type Said, type Tool, tool } from './tool.ts'

/** Up to ten judgements, instead of the one in the other arguments. */
const itemsOf = <P extends Properties>(properties: P) =>
  Type.Optional(
    Type.Array(Type.Object({ entry, ...properties }, CLOSED), {
      minItems: 1,
      maxItems: LIMITS.evidenceItems,
      description: `Several at once, instead of the arguments above; each counts as one write, with one cooldown.`,
    }),
  )

/** Names the missing arguments if the call has neither items nor one complete judgement. */
const oneOrItems =
  (needed: readonly string[]) =>
  (args: Record<string, unknown>): string | undefined => {
    const given = Object.keys(args).filter(name => name !== 'items' && name !== 'actor' && name !== 'actorToken')
    if (args.items !== undefined) {
      return given.length === 0 ? undefined : `the call has items and ${given.join(', ')}; give one judgement or items`
    }
    const missing = needed.filter(name => args[name] === undefined)
    return missing.length === 0 ? undefined : `the call lacks ${missing.join(', ')}`
  }

type Item = EvidenceInput['items'][number]

/** Records several judgements by one request, and reports the result of each. */
async function recordAll(client: Client, items: Item[], name: 'verification' | 'contradiction'): Promise<Said> {
  const { items: results } = await client.recordEvidence({ items })
  const made = results.flatMap(result => result[name]?.id ?? [])
  const lines = results.map((result, place) => `${place}. ${lineOf(result, items[place]?.entry ?? '')}`)
  return {
    text: [`Recorded ${made.length} of ${results.length} ${name}s.`, ...lines].join('\n'),
    structured: { [`${name}Ids`]: made.join(',') },
    failed: made.length === 0,
  }
}

function lineOf({ verification, contradiction, error }: EvidenceResult, address: string): string {
  const made = verification ?? contradiction
  if (made !== undefined) return `Recorded ${made.id} of revision ${made.revisionId}.`
  const code = error?.code ?? ''
  return `Refused for ${JSON.stringify(address)}: ${code}: ${remedyOf(code, error?.member)}`
}

const observedOn = Type.Optional(OBSERVED_ON)
const VERIFY = { ...VerifyInput.properties, observedOn }
const CONTRADICT = { ...ContradictInput.properties, quote: Type.Optional(QUOTE), observedOn }

const verify = tool({
  name: 'verify',
  title: 'Record the result of using a revision',
  description:
    'After you used or checked an entry, record for the exact revision: the result, your confidence, and your test. Record failures and doubts too.',
  input: inputOf({
    ...optionalOf({ entry, ...VERIFY }),
    items: itemsOf(VERIFY),
    ...ACTING,
  }),
  performs: ['createActor', 'verifyRevision', 'recordEvidence'],
  refuse: oneOrItems(['entry', ...Object.keys(VerifyInput.properties)]),
  async run({ client }, { entry: name = '', items, ...input }) {
    if (items !== undefined) {
      return recordAll(
        client,
        items.map(item => ({ ...item, kind: 'VERIFY' })),
        'verification',
      )
    }
    if (input.observedOn !== undefined)
      return recordAll(client, [{ entry: name, kind: 'VERIFY', ...input } as Item], 'verification')
    const made = await client.verifyRevision(name, input as VerifyInput)
    return {
      text: `Recorded verification ${made.id} of revision ${made.revisionId}: ${made.result}.`,
      structured: { verificationId: made.id, entryId: made.entryId, revisionId: made.revisionId },
    }
  },
})

const contradict = tool({
  name: 'contradict',
  title: 'Record that a revision is wrong',
  description:
    'Record that an exact revision is wrong, and the reason. Readers see it beside the text. Name a supporting entry as sourceEntryId. If you know the right text, revise too.',
  input: inputOf({
    ...optionalOf({ entry, ...CONTRADICT }),
    items: itemsOf(CONTRADICT),
    ...ACTING,
  }),
  performs: ['createActor', 'contradictRevision', 'recordEvidence'],
  refuse: oneOrItems(['entry', 'revisionId', 'rationale']),
  async run({ client }, { entry: name = '', items, ...input }) {
    if (items !== undefined) {
      return recordAll(
        client,
        items.map(item => ({ ...item, kind: 'CONTRADICT' })),
        'contradiction',
      )
    }
    if (input.quote !== undefined || input.observedOn !== undefined)
      return recordAll(client, [{ entry: name, kind: 'CONTRADICT', ...input } as Item], 'contradiction')
    const made = await client.contradictRevision(name, input as ContradictInput)
    return {
      text: `Recorded contradiction ${made.id} of revision ${made.revisionId}.`,
      structured: { contradictionId: made.id, entryId: made.entryId, revisionId: made.revisionId },
    }
  },
})

export const EVIDENCE_TOOLS: readonly Tool[] = [verify, contradict]
