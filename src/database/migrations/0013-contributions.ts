import type { Migration } from './migration.ts'

/** The contributions of an actor in the order of the feed, and the public evidence about a revision by its result. */
export const contributions: Migration = {
  number: 13,
  name: 'contributions',
  breaking: false,
  shared: `
CREATE INDEX activity_actor ON activity (actor, sequence) WHERE hour IS NULL AND withdrawn = 0;
CREATE INDEX evidence_revision ON evidence (revision, result) WHERE withdrawn = 0;
`,
}
