import { readEntry, readRevision } from './api.js'
import { messageOf } from './messages.js'

/** @typedef {{ entryId: string, slug: string, title: string, revisionId: string }} Found */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Parses the address of an entry or a revision: a link of this site or of its API, a path, or only an id or slug.
 * @param {string} text
 * @returns {{ entry: string, revision?: string } | undefined}
 */
export function parseAddress(text) {
  const typed = text.trim()
  const path = /^(?:https?:\/\/[^/]+)?(?:\/api)?\/entries\/([^/?#]+)(?:\/revisions\/([^/?#]+))?/i.exec(typed)
  const entry = decoded(path?.[1] ?? typed).replace(/\.(?:md|json)$/, '')
  const revision = decoded(path?.[2] ?? '').replace(/\.(?:md|json)$/, '')
  if (!/^[0-9a-z-]{1,120}$/i.test(entry)) return undefined
  return UUID.test(revision) ? { entry, revision } : { entry }
}

/**
 * Reads the entry or revision of an address, or returns the problem.
 * @param {string} text
 * @returns {Promise<{ found: Found } | { problem: string }>}
 */
export async function findByAddress(text) {
  const named = parseAddress(text)
  if (named === undefined)
    return {
      problem:
        'This is not the address of an entry of this service. Choose an entry that is found while you type, or paste an address.',
    }
  const entry = await readEntry(named.entry)
  if (!entry.ok) return { problem: messageOf(entry.code) }
  const { id: entryId, slug, title, currentRevisionId } = entry.body
  if (named.revision === undefined) return { found: { entryId, slug, title, revisionId: currentRevisionId } }
  const revision = await readRevision(entryId, named.revision)
  if (!revision.ok) return { problem: messageOf(revision.code) }
  return { found: { entryId, slug, title: revision.body.title, revisionId: revision.body.id } }
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
