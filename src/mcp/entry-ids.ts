import type { Client } from '../client/index.ts'
import { clientError } from '../client/problem.ts'
import { checkOf } from '../contract/check.ts'
import { uuid } from '../contract/fields.ts'

const ids = checkOf(uuid('An id.'))
/** Whether a name of an entry is its id. */
export const isId = (name: string): boolean => ids.fits(name)

/** The ids of entries named by id or slug, in that order. Makes one read if any is a slug. Rejects if an entry does not exist. */
export async function entryIdsOf<const Names extends readonly string[]>(client: Client, names: Names) {
  return (await idsOf(client, names)) as { [Place in keyof Names]: string }
}

async function idsOf(client: Client, names: readonly string[]): Promise<string[]> {
  const slugs = names.filter(name => !isId(name))
  if (slugs.length === 0) return [...names]
  const strange = slugs.find(slug => slug.includes(','))
  if (strange !== undefined) throw missing('ENTRY_NOT_FOUND', strange)
  const { items } = await client.readBatch({ ids: slugs.join(',') })
  const found = new Map(slugs.map((slug, index) => [slug, items[index]]))
  return names.map(name => {
    const item = found.get(name)
    if (item === undefined) return name
    if ('problem' in item) throw missing(item.problem, name)
    return item.id
  })
}

function missing(code: 'ENTRY_NOT_FOUND' | 'ENTRY_WITHDRAWN', name: string): Error {
  const sentence =
    code === 'ENTRY_NOT_FOUND'
      ? `No entry has the id or slug ${JSON.stringify(name)}; call find first.`
      : `The entry ${JSON.stringify(name)} was withdrawn by moderation.`
  return clientError(code, sentence)
}
