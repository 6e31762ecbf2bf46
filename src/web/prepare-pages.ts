import { many, moment } from './components.ts'

/** All kinds of Markdown, the costly ones more often. It is rendered several times, because the first costly text then takes half the time. */
const SAMPLE = `${'# A\n\n*b ~~c~~ **d** ***e `f` [g](/h) https://i.example &amp; __j\n\n- k\n\n> l\n\n| m |\n|---|\n| n |\n\n'.repeat(25)}${'***o ~~_p __q '.repeat(200)}`
const TIMES = 4

/**
 * Does what the first page would do otherwise: loads the renderer of Markdown, renders a sample, and makes the formats of dates and numbers.
 * This takes 0.1 to 0.3 s, in which no request is answered: a service does it before it serves.
 */
export async function preparePages(): Promise<void> {
  const [{ markup }] = await Promise.all([import('./markdown.ts'), import('./layered-text.ts')])
  for (let time = 0; time < TIMES; time++) markup(SAMPLE)
  moment(new Date(0).toISOString(), 0)
  many(2, 'entry')
}
