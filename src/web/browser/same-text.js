import { call } from './api.js'

/** @typedef {{ title: string, summary: string, content: string }} Texts */
/** @typedef {import('../../contract/resources.ts').Entry} Entry */

/** A content with normalized line ends and without surrounding spaces. @param {string} text */
const plain = text => text.replaceAll('\r\n', '\n').trim()

/**
 * Finds an entry with the same content among those whose titles are similar. Undefined if there is none, or if the service does not answer.
 * @param {Texts} draft
 * @returns {Promise<Entry | undefined>}
 */
export async function findSameText({ title, summary, content }) {
  /** @type {import('./api.js').Answer<{ items: { id: string }[] }>} */
  const similar = await call('GET', `/api/similar?${new URLSearchParams({ title, summary })}`)
  if (!similar.ok || similar.body.items.length === 0) return undefined
  const ids = similar.body.items.map(({ id }) => id).join()
  /** @type {import('./api.js').Answer<{ items: (Entry | { problem: string })[] }>} */
  const batch = await call('GET', `/api/batch?ids=${ids}`)
  const entries = batch.ok ? batch.body.items.flatMap(item => ('content' in item ? [item] : [])) : []
  return entries.find(entry => plain(entry.content) === plain(content))
}
