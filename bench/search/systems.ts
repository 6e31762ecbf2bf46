import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient, isClientError } from '../../src/client/index.ts'
import { startService } from '../targets/palimpsest.ts'
import type { Entry } from './collection.ts'

/** The answer of a system: entry ids, best first. `failed` is the status of an answer that is an error. */
export type Answer = { ids: string[]; answerable?: boolean | null; failed?: number }

/** An entry that has much in common with a draft. */
export type Similar = { id: string; score: number }

/** A search system that contains a collection. `ask` resolves with undefined if the question is too long for it. */
export type System = {
  name: string
  ask(text: string): Promise<Answer | undefined>
  /** The entries similar to a draft, most similar first, if the system supports it. */
  similar?(draft: { title: string; summary: string }): Promise<Similar[]>
}

/** Systems that contain the entries. `close` ends everything that was started for them. */
type Opened = { systems: System[]; close(): Promise<void> }

/** The reference for every system of the service. */
export const REFERENCE = 'fts5 porter OR'
/** The number of requested answers. */
const ASKED = 20
/** Number of concurrent publishers. */
const CONNECTIONS = 16
const SEARCH_CHARACTERS = 200
const FIND_CHARACTERS = 2_000

/** SQLite FTS5 in memory: tokenizer porter over unicode61, any of the words, ranked by bm25 with the weights of the service. */
function openReference(entries: Entry[]): System {
  const database = new DatabaseSync(':memory:')
  database.exec(
    "CREATE VIRTUAL TABLE entry USING fts5(id UNINDEXED, title, summary, content, tags, tokenize = 'porter unicode61')",
  )
  const insert = database.prepare('INSERT INTO entry VALUES (?, ?, ?, ?, ?)')
  database.exec('BEGIN')
  for (const { id, title, summary, content, tags } of entries) insert.run(id, title, summary, content, tags.join(' '))
  database.exec('COMMIT')
  const select = database.prepare(
    `SELECT id FROM entry WHERE entry MATCH ? ORDER BY bm25(entry, 0, 3, 1.5, 1, 2), rowid LIMIT ${ASKED}`,
  )
  return {
    name: REFERENCE,
    async ask(text) {
      const words = [...new Set(text.match(/[\p{L}\p{N}\p{M}]+/gu))]
      if (words.length === 0) return { ids: [] }
      const rows = select.all(words.map(word => `"${word}"`).join(' OR ')) as { id: string }[]
      return { ids: rows.map(({ id }) => id) }
    },
  }
}

/** Publishes entries over HTTP, and resolves with the id of each by its slug. */
async function publishEntries(baseUrl: string, entries: Entry[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const left = entries.values()
  const publish = async (): Promise<void> => {
    const client = createClient({ baseUrl })
    await client.createActor({})
    for (const { id, ...body } of left) ids.set((await client.createEntry(body)).slug, id)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, publish))
  return ids
}

type Found = { items: { slug: string }[]; answerable?: boolean | null }

/** The search paths of the service at `baseUrl`. */
function pathsOf(baseUrl: string, ids: Map<string, string>): System[] {
  const client = createClient({ baseUrl })
  const system = (name: string, most: number, find: (q: string) => Promise<Found>): System => ({
    name,
    async ask(text) {
      if ([...text].length > most) return undefined
      try {
        const { items, answerable = null } = await find(text)
        return { ids: items.flatMap(({ slug }) => ids.get(slug) ?? []), answerable }
      } catch (error) {
        if (isClientError(error) && error.status !== null) return { ids: [], failed: error.status }
        throw error
      }
    },
  })
  const similar: System['similar'] = async draft => {
    const { items } = await client.listSimilar(draft)
    return items.map(({ slug, score }) => ({ id: ids.get(slug) ?? '', score }))
  }
  return [
    { ...system('find', FIND_CHARACTERS, q => client.findEntries({ q, limit: ASKED })), similar },
    system('search', SEARCH_CHARACTERS, q => client.searchEntries({ q, limit: ASKED, sort: 'relevance' })),
  ]
}

/** The service in a separate process with a store of the entries, and the reference. */
export async function openSystems(entries: Entry[]): Promise<Opened> {
  const scratch = mkdtempSync(join(tmpdir(), 'palimpsest-search-'))
  const { url, server } = await startService({ DATA_DIR: scratch }, undefined)
  const close = async (): Promise<void> => {
    await server.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
  try {
    const ids = await publishEntries(url, entries)
    return { systems: [...pathsOf(url, ids), openReference(entries)], close }
  } catch (error) {
    await close()
    throw error
  }
}
