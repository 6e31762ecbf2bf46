import { type Client, type ClientError, isClientError } from '../client/index.ts'
import { clientError } from '../client/problem.ts'
import type {
  ContradictInput,
  EvidenceInput,
  EvidenceResults,
  RelationInput,
  RevisionInput,
} from '../client/resources.ts'
import type { ProblemCode } from '../contract/problem.ts'
import { remedyOf } from '../contract/problems.ts'
import type { Entry } from '../contract/resources.ts'
import { holdsSecret } from '../memory/actors/rules.ts'
import { Texts } from '../memory/evidence/pieces-rules.ts'
import { pathOfText } from '../memory/values.ts'

const refused = (code: ProblemCode, member?: string, latestRevisionId: string | null = null): ClientError =>
  clientError(code, remedyOf(code, member), { latestRevisionId })

function assertNoSecret(texts: object): void {
  const path = pathOfText(texts, holdsSecret)
  if (path !== undefined) throw refused('SECRET_IN_TEXT', path.join('.'))
}

type Sources = readonly { entryId: string; revisionId: string }[]

/** Throws SOURCE_NOT_FOUND unless each source is a revision of a public entry. */
async function assertSources(client: Client, sources: Sources = []): Promise<void> {
  if (sources.length === 0) return
  const { items } = await client.readBatch({ ids: sources.map(({ revisionId }) => revisionId).join(',') })
  const found = sources.every(({ entryId }, place) => {
    const item = items[place]
    return item !== undefined && 'entryId' in item && item.entryId === entryId.toLowerCase()
  })
  if (!found) throw refused('SOURCE_NOT_FOUND')
}

async function openEntry(client: Client, address: string): Promise<Entry> {
  const entry = await client.readEntry(address)
  if (entry.status === 'LOCKED') throw refused('ENTRY_LOCKED')
  return entry
}

async function assertRevisable(client: Client, address: string, input: RevisionInput): Promise<void> {
  assertNoSecret(input)
  const { currentRevisionId } = await openEntry(client, address)
  if (currentRevisionId !== input.previousRevisionId.toLowerCase()) {
    throw refused('STALE_REVISION', undefined, currentRevisionId)
  }
  await assertSources(client, input.sources)
}

/** Throws unless the revision can be judged. `said` is a verification or a contradiction. */
async function assertJudgeable(client: Client, address: string, said: Judgement): Promise<void> {
  const { rationale, quote, observedOn, sourceEntryId } = said
  await openEntry(client, address)
  const revision = await client.readRevision(address, said.revisionId)
  if (quote !== undefined && new Texts().cut(revision).claimOf(quote).length === 0) throw refused('QUOTE_NOT_FOUND')
  assertNoSecret({ rationale, quote, observedOn })
  if (sourceEntryId === undefined) return
  const [source] = (await client.readBatch({ ids: sourceEntryId })).items
  if (source === undefined || !('currentRevisionId' in source)) throw refused('SOURCE_NOT_FOUND')
}

async function assertRelatable(client: Client, input: RelationInput): Promise<void> {
  const source = await openEntry(client, input.sourceEntryId)
  const target = await openEntry(client, input.targetEntryId)
  if (source.id === target.id) throw refused('SELF_RELATION')
  assertNoSecret(input)
}

/** The results of judgements that are all refused; undefined if one of them is not. */
async function allRefused(client: Client, items: readonly JudgedItem[]): Promise<EvidenceResults | undefined> {
  const results: EvidenceResults['items'] = []
  for (const { entry, ...said } of items) {
    try {
      await assertJudgeable(client, entry, said)
      return undefined
    } catch (error) {
      if (!isClientError(error)) throw error
      results.push({ status: error.status ?? 0, error: { code: error.code } })
    }
  }
  return { items: results }
}

/** A verification or a contradiction, alone or as an item. */
type Judgement = ContradictInput & Pick<EvidenceInput['items'][number], 'quote' | 'observedOn'>
type JudgedItem = Judgement & { entry: string }

/**
 * A client for a call without a token. Its first write creates the actor by `act`, after reads have shown that the service will accept the
 * write, because an actor is permanent. The service can still refuse the write if something changes in between.
 */
export function firstWriter(client: Client, act: () => Promise<Client>): Client {
  return {
    ...client,
    async createEntry(input) {
      assertNoSecret(input)
      await assertSources(client, input.sources)
      return (await act()).createEntry(input)
    },
    async reviseEntry(address, input) {
      await assertRevisable(client, address, input)
      return (await act()).reviseEntry(address, input)
    },
    async verifyRevision(address, input) {
      await assertJudgeable(client, address, input)
      return (await act()).verifyRevision(address, input)
    },
    async contradictRevision(address, input) {
      await assertJudgeable(client, address, input)
      return (await act()).contradictRevision(address, input)
    },
    async recordEvidence(input) {
      return (await allRefused(client, input.items)) ?? (await act()).recordEvidence(input)
    },
    // Only the service can check a handle.
    async sendFeedback(input) {
      assertNoSecret(input)
      return (await act()).sendFeedback(input)
    },
    async relateEntries(input) {
      await assertRelatable(client, input)
      return (await act()).relateEntries(input)
    },
  }
}
