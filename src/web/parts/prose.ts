import { LruCache } from '../../domain/lru-cache.ts'
import type { ShowPart } from '../entry/layered-text.ts'
import type { Html } from '../html.ts'
import { many, moment } from './components.ts'
import type { Section } from './markdown.ts'

/** Renders untrusted Markdown as safe markup. The renderer takes 6 MB of memory. A process without pages, such as `palimpsest mcp`, never loads it. */
export async function prose(content: string): Promise<Html> {
  const { markup } = await import('./markdown.ts')
  return markup(content)
}

/** The same; `show` makes the markup of each part. `ends` has the offset where each part ends. */
export async function proseInLayers(content: string, ends: readonly number[], show: ShowPart): Promise<Html> {
  const { layeredMarkup } = await import('../entry/layered-text.ts')
  return layeredMarkup(content, ends, show)
}

type Prose = { content: Html; sections: Section[] }

/** The maximum size of the cached renderings, in characters of text and markup. */
const CACHED_MAX = 4_000_000
const cached = new LruCache<string, Prose>(CACHED_MAX)

/** The same, with an id for each heading, and the headings. A text that is shown again is not rendered again. */
export async function proseWithSections(content: string): Promise<Prose> {
  const known = cached.get(content)
  if (known !== undefined) return known
  const { markupWithSections } = await import('./markdown.ts')
  const made = markupWithSections(content)
  cached.set(content, made, content.length + made.content.markup.length)
  return made
}

/** All kinds of Markdown, the costly ones more often. It is rendered several times, because the first costly text then takes half the time. */
const SAMPLE = `${'# A\n\n*b ~~c~~ **d** ***e `f` [g](/h) https://i.example &amp; __j\n\n- k\n\n> l\n\n| m |\n|---|\n| n |\n\n'.repeat(25)}${'***o ~~_p __q '.repeat(200)}`
const TIMES = 4

/**
 * Does what the first page would do otherwise: loads the renderer of Markdown, renders a sample, and makes the formats of dates and numbers.
 * This takes 0.1 to 0.3 s, in which no request is answered: a service does it before it serves.
 */
export async function preparePages(): Promise<void> {
  const [{ markup }] = await Promise.all([import('./markdown.ts'), import('../entry/layered-text.ts')])
  for (let time = 0; time < TIMES; time++) markup(SAMPLE)
  moment(new Date(0).toISOString(), 0)
  many(2, 'entry')
}
