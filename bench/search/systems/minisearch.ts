import MiniSearch from 'minisearch'
import { ASKED, type Maker, WEIGHTS } from './system.ts'

/** MiniSearch as in its documentation: any of the words, BM25+, field weights, and words that differ by a fifth of their letters. */
export const openMiniSearch: Maker = async entries => {
  const index = new MiniSearch({ fields: Object.keys(WEIGHTS), searchOptions: { boost: { ...WEIGHTS }, fuzzy: 0.2 } })
  index.addAll(entries.map(entry => ({ ...entry, tags: entry.tags.join(' ') })))
  const ask = async (text: string) => ({
    ids: index
      .search(text)
      .slice(0, ASKED)
      .map(({ id }) => id as string),
  })
  return { systems: [{ name: 'minisearch', ask }], close: async () => {} }
}
