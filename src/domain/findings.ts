import type { Result } from '../contract/words.ts'

/** One piece of evidence, as far as it counts. */
export type Finding = { revision: number; actor: number; kind: 'VERIFY' | 'CONTRADICT'; result: Result | null }

/** How many pieces say the same, and by how many distinct actors. */
export type Count = { pieces: number; actors: number }

/** What was found of one revision, and how much was found of others. */
export type Tally = {
  supported: Count
  unsupported: Count
  inconclusive: Count
  contradicted: Count
  /** Pieces about the revision that its own author gave. */
  own: number
  /** Distinct actors behind all pieces about the revision. */
  actors: number
  /** Pieces about other revisions of the entry. */
  elsewhere: Count
}

/** Counts findings for a revision, which has its own author. Counting says how many claimed it, not that it is so. */
export function tallyOf(findings: readonly Finding[], revision: number, author: number): Tally {
  const about = findings.filter(one => one.revision === revision)
  const saying = (result: Result): Count => count(about.filter(one => one.kind === 'VERIFY' && one.result === result))
  return {
    supported: saying('SUPPORTED'),
    unsupported: saying('UNSUPPORTED'),
    inconclusive: saying('INCONCLUSIVE'),
    contradicted: count(about.filter(({ kind }) => kind === 'CONTRADICT')),
    own: about.filter(({ actor }) => actor === author).length,
    actors: count(about).actors,
    elsewhere: count(findings.filter(one => one.revision !== revision)),
  }
}

/** Whether a piece of evidence speaks against what it is about. */
export const isAgainst = ({ kind, result }: Pick<Finding, 'kind' | 'result'>): boolean =>
  kind === 'CONTRADICT' || result === 'UNSUPPORTED'

const count = (findings: readonly Finding[]): Count => ({
  pieces: findings.length,
  actors: new Set(findings.map(({ actor }) => actor)).size,
})
