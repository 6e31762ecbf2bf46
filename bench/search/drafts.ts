import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bound } from './bounds.ts'
import type { Similar, System } from './systems.ts'

const FOLDER = join(import.meta.dirname, 'drafts')
/** Minimum share of restating drafts for which the restated entry is shown. Maximum share of other drafts for which any entry is shown. */
const SHOWN_LEAST = 0.9
const FALSE_MOST = 0.1

/** A draft of an entry; `same` is the id of the entry that it restates. */
export type Draft = { title: string; summary: string; same: string | undefined }

const linesOf = (name: string): string[][] =>
  readFileSync(join(FOLDER, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t'))

/** Drafts that restate an entry of the judged set in other words, and drafts on subjects that no entry covers. */
export function readDrafts(): Draft[] {
  const same = linesOf('paraphrases.tsv').map(([id = '', title = '', summary = '']) => ({ title, summary, same: id }))
  const others = linesOf('others.tsv').map(([title = '', summary = '']) => ({ title, summary, same: undefined }))
  return [...same, ...others]
}

/** Requests the entries similar to each draft from a service that contains the judged set. Resolves with the bounds. */
export async function measureDrafts({ name, similar }: System): Promise<Bound[]> {
  if (similar === undefined) return []
  const asked: { draft: Draft; found: Similar[] }[] = []
  for (const draft of readDrafts())
    asked.push({ draft, found: await similar({ title: draft.title, summary: draft.summary }) })
  const same = asked.filter(({ draft }) => draft.same !== undefined)
  const others = asked.filter(({ draft }) => draft.same === undefined)
  const shown = same.filter(({ draft, found }) => found.some(({ id }) => id === draft.same)).length
  const first = same.filter(({ draft, found }) => found[0]?.id === draft.same).length
  const alarms = others.filter(({ found }) => found.length > 0).length
  const least = Math.ceil(SHOWN_LEAST * same.length)
  const most = Math.floor(FALSE_MOST * others.length)
  return [
    {
      name: `drafts in other words that are shown their entry: ${name}`,
      measured: `${shown} of ${same.length}`,
      target: `≥ ${least} of ${same.length}`,
      held: shown >= least,
      note: `${first} of them first`,
    },
    {
      name: `drafts about other subjects that are shown an entry: ${name}`,
      measured: `${alarms} of ${others.length}`,
      target: `≤ ${most} of ${others.length}`,
      held: alarms <= most,
      note: 'title and summary',
    },
  ]
}
