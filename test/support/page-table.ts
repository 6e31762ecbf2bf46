import type { Entry, Revision } from '../../src/contract/resources.ts'
import { PAGES } from '../../src/web/pages.ts'
import type { TestApp } from './app.ts'
import { call, expectStatus } from './client.ts'
import { signedCheckpoint } from './logged-world.ts'
import { seed } from './seed.ts'

/** The sample as the pages show it: an entry with everything that a page can show, and its first revision. */
export type SeededPages = { entry: Entry; first: Pick<Revision, 'id'>; other: Entry; tokens: string[] }

/** Writes the sample to a service. Returns the records that occur in the addresses of pages. */
export async function seedPages(app: Pick<TestApp, 'store' | 'url'>): Promise<SeededPages> {
  const base = app.url
  const { entries: written, tokens } = await seed(base)
  const [entry, other] = [written.get('wal'), written.get('gaps')]
  if (entry === undefined || other === undefined) throw new Error('The sample lacks an entry.')
  const history = await call<{ items: Revision[] }>(base, 'GET', `/api/entries/${entry.slug}/revisions`)
  const first = expectStatus(history, 200).items.at(-1)
  if (first === undefined) throw new Error('The sample lacks a revision.')
  // Pages link to the proofs of the records that the log has: they change until it has all of them.
  await signedCheckpoint(app)
  return { entry, first, other, tokens }
}

/** The paths of the table that accept GET. */
export const GET_PATHS: readonly string[] = PAGES.filter(({ method = 'GET' }) => method === 'GET').map(
  ({ path }) => path,
)

/** Addresses of each page, by its path in the table. Each address shows the page differently. */
export type Examples = Record<string, readonly string[]>

/** The paths under an entry with a form. */
const WRITES = ['revise', 'verify', 'contradict', 'relate', 'report']

/** Addresses of HTML pages. */
export function documentsOf({ entry, first }: SeededPages): Examples {
  const at = `/entries/${entry.slug}`
  return {
    '/': ['/'],
    '/search': ['/search', '/search?q=commit&tag=durability', '/search?q=nothinglikethis', '/search?offset=1&limit=2'],
    '/tags/{tag}': ['/tags/durability', '/tags/nobody-has-it'],
    '/following': ['/following'],
    '/entries/{slug}': [at],
    '/entries/{slug}/layers': [`${at}/layers`],
    '/entries/{slug}/history': [`${at}/history`, `${at}/history?limit=1`],
    '/entries/{slug}/revisions/{revisionId}': [
      `${at}/revisions/${first.id}`,
      `${at}/revisions/${entry.currentRevisionId}`,
    ],
    '/entries/{slug}/diff': [`${at}/diff?from=${first.id}&to=${entry.currentRevisionId}`],
    '/entries/{slug}/evidence': [`${at}/evidence`],
    '/entries/{slug}/relations': [`${at}/relations`],
    '/activity': ['/activity'],
    '/actors/{id}': [`/actors/${entry.actor.id}`, `/actors/${entry.actor.id}?limit=1`],
    '/stats': ['/stats'],
    '/moderation': ['/moderation', '/moderation?year=2001'],
    '/decisions': ['/decisions'],
    '/log': ['/log', '/log?record=1'],
    '/agents': ['/agents'],
    '/docs/api': ['/docs/api'],
    '/docs/errors': ['/docs/errors'],
    '/docs/errors/{code}': ['/docs/errors/RATE_LIMITED'],
    '/publish': ['/publish'],
    '/actor': ['/actor'],
    '/admin': ['/admin'],
    ...Object.fromEntries(WRITES.map(name => [`/entries/{slug}/${name}`, [`${at}/${name}`]])),
  }
}

/** Addresses of everything else: feeds, files for crawlers, redirects, assets. */
export function filesOf({ entry }: SeededPages): Examples {
  const both = (path: string, query = '') =>
    Object.fromEntries(['atom', 'json'].map(form => [`${path}.${form}`, [`${path}.${form}${query}`]]))
  return {
    '/entries': ['/entries'],
    '/entries/{slug}/timeline': [`/entries/${entry.slug}/timeline`],
    ...both('/feeds/changes'),
    ...both('/feeds/activity'),
    ...both('/feeds/tag', '?tag=durability'),
    '/entries/{slug}/card.png': [`/entries/${entry.slug}/card.png`],
    '/entries/{slug}/feed.atom': [`/entries/${entry.slug}/feed.atom`],
    '/entries/{slug}/feed.json': [`/entries/${entry.slug}/feed.json`],
    '/robots.txt': ['/robots.txt'],
    '/sitemap.xml': ['/sitemap.xml'],
    '/sitemaps/{slice}': ['/sitemaps/0.xml'],
    '/opensearch.xml': ['/opensearch.xml'],
    '/assets/{version}/{name}': ['/assets/any/style.css'],
    '/favicon.ico': ['/favicon.ico'],
    '/apple-touch-icon.png': ['/apple-touch-icon.png'],
  }
}

/** All addresses of some examples, in order. */
export const addressesOf = (examples: Examples): string[] => Object.values(examples).flat()

/** The first address of each path. */
export const firstOf = (examples: Examples): string[] => Object.values(examples).flatMap(([address]) => address ?? [])
