import type { Activity, Entry } from '../../src/contract/resources.ts'
import { allChanges, isWrite } from './changes.ts'
import { allPages, call } from './client.ts'

export type Seen = { status: number; etag: string | null; link: string | null; body: unknown }
export type PublicView = Record<string, Seen>

const SORTS = ['recent', 'evolution', 'relevance']
/** Members that reads change. */
const MOVING = new Set(['externalInteractions', 'observedActors', 'recurrentActors', 'requestId'])
const isObservation = (row: unknown): boolean => ['READ', 'SEARCH'].includes((row as Activity).action)

/** The answer without the parts that reads change: counters of reads, rows of reads, and cursors that count these rows. */
function settled(path: string, body: unknown): unknown {
  const kept = JSON.parse(JSON.stringify(body), (name, value) => (MOVING.has(name) ? undefined : value)) as {
    items?: unknown[]
  }
  if (!/timeline|activity/.test(path)) return kept
  return { items: kept.items?.filter(row => !isObservation(row)) }
}

/**
 * Everything that the public can read of a small store, by method and path: every list in every order, searches for `words`,
 * every address of `entries` and of everything under them, the feed and the topics. Equal views mean that no reader can see a difference.
 */
export async function publicView(
  base: string,
  entries: readonly Entry[],
  words: readonly string[],
): Promise<PublicView> {
  const view: PublicView = {}
  const look = async (path: string, method = 'GET'): Promise<void> => {
    const { status, headers, body } = await call(base, method, path)
    view[`${method} ${path}`] = {
      status,
      etag: headers.get('etag'),
      link: /timeline|activity/.test(path) ? null : headers.get('link'),
      body: settled(path, body),
    }
  }
  for (const sort of SORTS) {
    await look(`/api/entries?limit=50&sort=${sort}`)
    for (const word of words) {
      const q = encodeURIComponent(word)
      for (const asked of [q, q.slice(0, -1), `%22${q}%22`]) await look(`/api/search?limit=50&sort=${sort}&q=${asked}`)
      await look(`/api/entries?limit=50&sort=${sort}&tag=${q}`)
    }
  }
  await look('/api/entries?limit=1&offset=0')
  await look('/api/stats')
  for (const word of words) await look(`/api/similar?title=${encodeURIComponent(`${word} title`)}`)
  for (const entry of entries) {
    await look(`/api/entries/${entry.slug}`)
    await look(`/api/entries/${entry.id}`, 'HEAD')
    for (const address of [entry.slug, entry.id, entry.id.toUpperCase()]) {
      for (const under of ['', '/revisions', `/revisions/${entry.currentRevisionId}`, '/relations', '/evidence']) {
        await look(`/api/entries/${address}${under}`)
      }
      await look(`/api/entries/${address}/timeline?limit=50`)
    }
  }
  const rows = await allPages<Activity>(base, '/api/activity')
  view['GET /api/activity'] = { status: 200, etag: null, link: null, body: settled('activity', { items: rows }) }
  // Withdrawals and restorations name entries by their ids, and stay in the list.
  const { items } = await allChanges(base)
  view['GET /api/activity/changes'] = { status: 200, etag: null, link: null, body: settled('', items.filter(isWrite)) }
  return view
}

/** The places of a text in a view, ignoring case. Excludes the sources of revisions, which are hashed and therefore stay. */
export function placesOf(view: PublicView, text: string): string[] {
  const wanted = text.toLowerCase()
  return Object.entries(view)
    .filter(([, seen]) => {
      const shown = JSON.stringify(seen, (name, value) => (name === 'sources' ? undefined : value))
      return shown.toLowerCase().includes(wanted)
    })
    .map(([path]) => path)
}
