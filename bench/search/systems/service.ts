import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ActorIssued, SimilarList, Entry as StoredEntry } from '../../../src/contract/resources.ts'
import { type Cluster, createDatabase } from '../../../test/support/cluster.ts'
import { type Answer as HttpAnswer, openHttp, requestText } from '../../load/http.ts'
import { startService } from '../../targets/palimpsest.ts'
import type { Entry } from '../collection.ts'
import { ASKED, type Maker, type System } from './system.ts'

/** Number of concurrent publishers. It is one if the order of the entries must be the same in two stores. */
const CONNECTIONS = 16
const SEARCH_CHARACTERS = 200
const FIND_CHARACTERS = 2_000
const BUSY = new Set([429, 503])
const PAUSE = 20
const TRIES = 3_000

type Found = { items: { slug: string }[]; match?: number | null; answerable?: boolean | null }

/** Repeats a request until the service is no longer overloaded. Throws after a minute. */
async function send(http: ReturnType<typeof openHttp>, request: string): Promise<HttpAnswer> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const answer = await http.send(request)
    if (!BUSY.has(answer.status)) return answer
    await setTimeout(PAUSE)
  }
  throw new Error('The service stayed busy for a minute.')
}

/** Publishes entries over HTTP, and resolves with the id of each by its slug. */
async function publishEntries(url: string, entries: Entry[], connections: number): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const left = entries.values()
  const publish = async (): Promise<void> => {
    const http = openHttp(url)
    const actor = await send(http, requestText('POST', '/api/actors', '', '{}'))
    const { token } = JSON.parse(actor.text()) as ActorIssued
    for (const { id, ...body } of left) {
      const field = `x-actor-token: ${token}\r\n`
      const answer = await send(http, requestText('POST', '/api/entries', field, JSON.stringify(body)))
      if (answer.status !== 201) throw new Error(`The entry ${id} was refused: ${answer.status} ${answer.text()}`)
      ids.set((JSON.parse(answer.text()) as StoredEntry).slug, id)
    }
    http.close()
  }
  await Promise.all(Array.from({ length: connections }, publish))
  return ids
}

/** The search paths of the service at `url`, requested over one connection. */
async function pathsOf(url: string, prefix: string, ids: Map<string, string>): Promise<System[]> {
  const http = openHttp(url)
  const system = (name: string, path: string, most: number, fixed: Record<string, string>): System => ({
    name: `${prefix}${name}`,
    async ask(text) {
      if ([...text].length > most) return undefined
      const query = new URLSearchParams({ q: text, limit: String(ASKED), ...fixed })
      const answer = await send(http, requestText('GET', `${path}?${query}`))
      if (answer.status !== 200) return { ids: [], failed: answer.status }
      const { items, match, answerable } = JSON.parse(answer.text()) as Found
      return {
        ids: items.flatMap(({ slug }) => ids.get(slug) ?? []),
        ...(typeof match === 'number' ? { match } : {}),
        ...(typeof answerable === 'boolean' ? { answerable } : {}),
      }
    },
  })
  const similar: System['similar'] = async ({ title, summary }) => {
    const answer = await send(http, requestText('GET', `/api/similar?${new URLSearchParams({ title, summary })}`))
    const { items } = JSON.parse(answer.text()) as SimilarList
    return items.map(({ slug, score }) => ({ id: ids.get(slug) ?? '', score }))
  }
  const search = system('search', '/api/search', SEARCH_CHARACTERS, { sort: 'relevance' })
  const { status } = await send(http, requestText('GET', '/api/find?q=probe'))
  if (status === 404) return [search]
  return [{ ...system('find', '/api/find', FIND_CHARACTERS, {}), similar }, search]
}

/** The service in a separate process with an empty store, on the embedded engine or on a database of the cluster. */
export const openService =
  (cluster: Cluster | undefined, inOrder: boolean): Maker =>
  async entries => {
    const scratch = mkdtempSync(join(tmpdir(), 'palimpsest-search-'))
    const database = cluster === undefined ? {} : { DATABASE_URL: (await createDatabase(cluster.url('postgres'))).url }
    const { url, server } = await startService({ DATA_DIR: scratch, ...database }, undefined)
    const close = async (): Promise<void> => {
      await server.stop()
      rmSync(scratch, { recursive: true, force: true })
    }
    try {
      const ids = await publishEntries(url, entries, inOrder ? 1 : CONNECTIONS)
      return { systems: await pathsOf(url, cluster === undefined ? '' : 'postgres ', ids), close }
    } catch (error) {
      await close()
      throw error
    }
  }
