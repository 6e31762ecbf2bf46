/**
 * Tags of stored answers. A cache removes an answer when one of its tags is purged. Each answer has one tag of a class: ENTRY_TAG for answers
 * about single entries, MODERATED_TAG for those that only moderation and their own tag change, LIST_TAG for those that any record changes.
 */
export const ENTRY_TAG = 'e'
export const MODERATED_TAG = 'm'
export const LIST_TAG = 'l'
/** The classes: together they remove every answer. */
export const ALL_TAGS: readonly string[] = [LIST_TAG, MODERATED_TAG, ENTRY_TAG]

/** The tag of answers about an entry, by its number. */
export const entryTag = (number: number): string => `e${number}`
/** The tag of the profile of an actor, by its id. */
export const actorTag = (id: string): string => `a-${id}`

/** What records changed: `moderated` if moderation withdrew or restored something, `all` if it may concern any answer. */
export type Touched = { entries: readonly number[]; actors: readonly string[]; moderated: boolean; all: boolean }

/** The tags to purge after records were committed, those of the classes first. */
export function tagsToPurge({ entries, actors, moderated, all }: Touched): string[] {
  if (all) return [...ALL_TAGS]
  const classes = moderated ? [LIST_TAG, MODERATED_TAG] : [LIST_TAG]
  return [...new Set([...classes, ...entries.map(entryTag), ...actors.map(actorTag)])]
}
