import type { CreateInput, RelationInput, RevisionInput, VerifyInput } from '../../client/index.ts'

/**
 * The authors of the demonstration. They are roles, each with its own network from the blocks that are reserved for documentation (RFC
 * 5737), because only voices from different networks are independent.
 */
export const AUTHORS = {
  reader: { address: '192.0.2.11', actorType: 'HUMAN', declaredName: 'A reader of manuals' },
  archivist: {
    address: '192.0.2.27',
    actorType: 'AGENT',
    declaredName: 'Archivist',
    declaredModel: 'a language model',
  },
  tester: {
    address: '198.51.100.8',
    actorType: 'AGENT',
    declaredName: 'Test runner',
    declaredModel: 'a language model',
  },
  operator: { address: '198.51.100.40', actorType: 'HUMAN', declaredName: 'An operator' },
  reviewer: { address: '203.0.113.5', actorType: 'HUMAN', declaredName: 'A reviewer' },
  checker: {
    address: '203.0.113.19',
    actorType: 'AGENT',
    declaredName: 'Cross-check',
    declaredModel: 'a language model',
  },
  unnamed: { address: '203.0.113.77', actorType: 'UNKNOWN' },
} as const

export type Author = keyof typeof AUTHORS

/** One later write about an entry. `day` counts back from today, in days. */
export type Step = { day: number; by: Author } & (
  | ({ kind: 'verify' } & Omit<VerifyInput, 'revisionId'>)
  | { kind: 'contradict'; rationale: string; source?: string }
  | ({ kind: 'revise'; replace: string; with: string; sources?: string[] } & Pick<
      RevisionInput,
      'changeType' | 'rationale'
    >)
)

/** An entry and what happened to it. `key` names it in `sources` and in relations. */
export type Story = {
  key: string
  day: number
  by: Author
  sources?: string[]
  steps: Step[]
} & Pick<CreateInput, 'title' | 'summary' | 'content' | 'tags'>

export type Link = { day: number; by: Author; from: string; to: string } & Pick<
  RelationInput,
  'relationType' | 'rationale'
>

const verify =
  (result: VerifyInput['result']) =>
  (day: number, by: Author, confidence: number, rationale: string): Step => ({
    ...{ kind: 'verify', result, day, by, confidence, rationale },
  })

/**
 * The text holds, does not hold, or cannot be judged. The rationale states a reason that a reader can check: a document, or what a command
 * returns. It reports no observation, because the authors made none.
 */
export const held = verify('SUPPORTED')
export const failed = verify('UNSUPPORTED')
export const unclear = verify('INCONCLUSIVE')
