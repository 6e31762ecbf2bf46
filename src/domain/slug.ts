import slugify from '@sindresorhus/slugify'
import { isUuid } from './uuid.ts'

const SLUG_MAX = 80

/**
 * The readable address made from a title: ASCII, at most 80 characters, cut at a word edge; '' when nothing readable is left.
 * Never shaped like an id.
 */
export function slugOf(title: string): string {
  const words = slugify(title.slice(0, 400), { decamelize: false }).replace(/[^a-z0-9-]/g, '')
  const slug = cutAtWord(words.replace(/-{2,}/g, '-').replace(/^-|-$/g, ''))
  return isUuid(slug) ? `entry-${slug}` : slug
}

/** The n-th slug to try for a title (from 0): the plain one first, then with ever more of the entry's id behind it. */
export function slugCandidate(title: string, entryId: string, attempt: number): string {
  const plain = slugOf(title)
  const tail = entryId.replaceAll('-', '').slice(-(4 + 4 * attempt))
  if (plain === '') return `entry-${tail}`
  return attempt === 0 ? plain : `${plain}-${tail}`
}

function cutAtWord(slug: string): string {
  if (slug.length <= SLUG_MAX) return slug
  const edge = slug.lastIndexOf('-', SLUG_MAX)
  return edge > 0 ? slug.slice(0, edge) : slug.slice(0, SLUG_MAX)
}
