/** The number of the last step before entries stored the check that they need. */
export const BEFORE_WORK = 14

const standing = (state: string, addressedBy: number | null) =>
  JSON.stringify({ state, checkedAt: 5, contradictions: [{ record: 1, addressedBy }] })

/** Entries as a store of that step has them, as SQL. */
export const AGED_ENTRIES = [
  null,
  standing('SUPPORTED', 7),
  standing('CONTRADICTED', null),
  standing('DISPUTED', null),
  standing('UNCHECKED', 7),
  standing('INCONCLUSIVE', null),
]
  .map(
    (
      text,
      index,
    ) => `INSERT INTO entry (number, id, slug, tags, actor, data_class, created_at, updated_at, revision, change, standing)
      VALUES (${index + 1}, 'id${index}', 'slug${index}', '[]', 1, 'EXTERNAL', 1, 1, 1, 1, ${text === null ? 'NULL' : `'${text}'`})`,
  )
  .join(';')

/** The result of the later steps: the check, and when a confirmed entry was judged. */
export const AGED_CHECKS = [
  ['UNCHECKED', null],
  ['CONFIRMED', 5],
  ['DISPUTED', null],
  ['DISPUTED', null],
  ['ADDRESSED', null],
  ['UNCHECKED', null],
]
