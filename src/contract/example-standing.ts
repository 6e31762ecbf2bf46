import { TRUST } from './vocabulary.ts'

const noTally = {
  ...{ supported: 0, unsupported: 0, inconclusive: 0, contradicted: 0, own: 0, actors: 0, for: 0, against: 0 },
}
const tally = {
  ...{ supported: 1, unsupported: 0, inconclusive: 0, contradicted: 1, own: 0, actors: 2, for: 1, against: 1 },
}

/** The standing of the entry of the examples. */
export const STANDING = {
  state: 'DISPUTED',
  tally,
  share: 0.5,
  confirmed: 1,
  unconfirmed: [],
  removed: [],
  changed: 0,
  lastCheckedAt: '2026-11-21T09:30:00.000Z',
  observedOn: [{ name: 'sqlite', version: '3.53' }],
  best: null,
  contradictions: [
    {
      id: '019a9b1f-6d70-7076-8192-81e0b7362007',
      kind: 'CONTRADICTION',
      revisionId: '019a9b1c-1f20-7d43-9e6f-5ebd8403f004',
      sourceEntryId: '019a9b1c-2a30-7c32-8d5e-4dac73f2e003',
      quote: 'synchronous=FULL makes commits durable.',
      byAuthor: false,
      status: 'STANDING',
      answeredBy: null,
      addressedBy: null,
      rationale: 'A checkpoint can wait for a long reader.',
    },
  ],
  earlier: noTally,
  ...TRUST,
}

/** The example of a blame: a text of these pieces, all written by one revision. */
export const blameOf = (
  pieces: readonly (readonly [section: string, text: string])[],
  revision: { id: string; [member: string]: unknown },
) => ({
  pieces: pieces.map(([section, text]) => ({ section, text, revisionId: revision.id, evidence: 0 })),
  revisions: [revision],
  evidence: [{ state: STANDING.state, tally, objections: STANDING.contradictions.map(({ id }) => id) }],
  lookedAt: 1,
  complete: true,
  dataClass: 'EXTERNAL',
  ...TRUST,
})
