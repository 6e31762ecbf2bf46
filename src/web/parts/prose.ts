import { setImmediate as nextTurn } from 'node:timers/promises'
import { LruCache } from '../../memory/lru-cache.ts'
import { agesPicture } from '../entry/ages.ts'
import type { ShowPart } from '../entry/layered-text.ts'
import type { Html } from '../html.ts'
import { many } from './components.ts'
import type { Rendering, Section } from './markdown.ts'

/**
 * Renders untrusted Markdown as safe markup. Loads the renderer, which takes 6 MB of memory, at the first call: a process without pages,
 * such as `palimpsest mcp`, never loads it.
 */
export async function prose(content: string, rendering?: Rendering): Promise<Html> {
  const { renderingOf } = await import('./markdown.ts')
  return finished(renderingOf(content, rendering))
}

/** The time in milliseconds after which a work lets other requests run. */
const TURN_MS = 1

/** Finishes a work that pauses, and lets other requests run. */
export async function finished<T>(work: Generator<undefined, T>): Promise<T> {
  let began = performance.now()
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    if (performance.now() - began < TURN_MS) continue
    await nextTurn()
    began = performance.now()
  }
}

/** Like `prose`; `show` makes the markup of each part. `ends` contains the offset where each part ends. */
export async function proseInLayers(content: string, ends: readonly number[], show: ShowPart): Promise<Html> {
  const { layeredMarkup } = await import('../entry/layered-text.ts')
  return finished(layeredMarkup(content, ends, show))
}

type Prose = { content: Html; sections: Section[] }

/** The maximum size of the cached renderings, in characters of text and markup. */
const CACHED_MAX = 4_000_000
const cached = new LruCache<string, Prose>(CACHED_MAX)

/** Like `prose`, with an id for each heading, and the list of headings. Caches the result. */
export async function proseWithSections(content: string): Promise<Prose> {
  const known = cached.get(content)
  if (known !== undefined) return known
  const sections: Section[] = []
  const made = { content: await prose(content, { sections }), sections }
  cached.set(content, made, content.length + made.content.markup.length)
  return made
}

/**
 * A sample with all kinds of Markdown, the costly ones more often. It is rendered several times, which halves the time of the first costly
 * text.
 */
const SAMPLE = `${'# A\n\n*b ~~c~~ **d** ***e `f` [g](/h) https://i.example &amp; __j\n\n- k\n\n> l\n\n| m |\n|---|\n| n |\n\n'.repeat(25)}${'***o ~~_p __q '.repeat(200)}`
const TIMES = 4
/** A sample of the ages of a text, drawn as often: the first picture of a long text takes a third of the time. */
const AGES = Array.from({ length: 1_000 }, (_, at) => ({ size: 1, ordinal: at, against: at % 2 }))

/**
 * Does the work that would delay the first page: loads the renderer of Markdown, renders a sample, and makes the format of numbers. This
 * blocks the event loop for 0.1 to 0.3 s, so a service calls it before it serves.
 */
export async function preparePages(): Promise<void> {
  const [{ markup }] = await Promise.all([import('./markdown.ts'), import('../entry/layered-text.ts')])
  for (let time = 0; time < TIMES; time++) {
    markup(SAMPLE)
    agesPicture(AGES)
  }
  many(2, 'entry')
}
