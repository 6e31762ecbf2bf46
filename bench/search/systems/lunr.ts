import lunr from 'lunr'
import { ASKED, type Maker, WEIGHTS } from './system.ts'

/** Lunr with its English pipeline: any of the words, without stop words, Porter stems, field weights. */
export const openLunr: Maker = async entries => {
  const index = lunr(builder => {
    builder.ref('id')
    for (const [field, boost] of Object.entries(WEIGHTS)) builder.field(field, { boost })
    for (const entry of entries) builder.add({ ...entry, tags: entry.tags.join(' ') })
  })
  const ask = async (text: string) => ({
    ids: index
      .query(query => query.term(lunr.tokenizer(text), {}))
      .slice(0, ASKED)
      .map(({ ref }) => ref),
  })
  return { systems: [{ name: 'lunr', ask }], close: async () => {} }
}
