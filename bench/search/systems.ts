import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { ActorIssued, SimilarList, Entry as StoredEntry } from '../../src/contract/resources.ts'
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
export type Opened = { systems: System[]; close(): Promise<void> }

/** The reference for every system of the service. */
export const REFERENCE = 'fts5 porter OR'
/** The number of requested answers. */
const ASKED = 20
/** Number of concurrent publishers. */
const CONNECTIONS = 16
const SEARCH_CHARACTERS = 200
const FIND_CHARACTERS = 2_000
const BUSY = new Set([429, 503])
const PAUSE = 20
const TRIES = 3_000

/** SQLite FTS5 in memory: tokenizer porter over unicode61, any of the words, ranked by bm25 with the weights of the service. */
export function openReference(entries: Entry[]): System {
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

/** Repeats a request until the service is no longer overloaded. Throws after a minute. */
async function send(address: string, options: RequestInit = {}): Promise<Response> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const answer = await fetch(address, options)
    if (!BUSY.has(answer.status)) return answer
    await answer.body?.cancel()
    await setTimeout(PAUSE)
  }
  throw new Error('The service stayed busy for a minute.')
}

async function create<T>(address: string, body: object, token = ''): Promise<T> {
  const headers = { 'content-type': 'application/json', ...(token !== '' && { 'x-actor-token': token }) }
  const answer = await send(address, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${JSON.stringify(body)} was refused: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

/** Publishes entries over HTTP, and resolves with the id of each by its slug. */
async function publishEntries(url: string, entries: Entry[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const left = entries.values()
  const publish = async (): Promise<void> => {
    const { token } = await create<ActorIssued>(`${url}/api/actors`, {})
    for (const { id, ...body } of left) {
      const { slug } = await create<StoredEntry>(`${url}/api/entries`, body, token)
      ids.set(slug, id)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, publish))
  return ids
}

/** The search paths of the service at `url`. */
function pathsOf(url: string, ids: Map<string, string>): System[] {
  const system = (name: string, path: string, most: number, fixed: Record<string, string>): System => ({
    name,
    async ask(text) {
      if ([...text].length > most) return undefined
      const answer = await send(`${url}${path}?${new URLSearchParams({ q: text, limit: String(ASKED), ...fixed })}`)
      if (!answer.ok) return { ids: [], failed: answer.status }
      const { items, answerable = null } = (await answer.json()) as { items: StoredEntry[]; answerable?: boolean }
      return { ids: items.flatMap(({ slug }) => ids.get(slug) ?? []), answerable }
    },
  })
  const similar: System['similar'] = async ({ title, summary }) => {
    const answer = await send(`${url}/api/similar?${new URLSearchParams({ title, summary })}`)
    const { items } = (await answer.json()) as SimilarList
    return items.map(({ slug, score }) => ({ id: ids.get(slug) ?? '', score }))
  }
  return [
    { ...system('find', '/api/find', FIND_CHARACTERS, {}), similar },
    system('search', '/api/search', SEARCH_CHARACTERS, { sort: 'relevance' }),
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
