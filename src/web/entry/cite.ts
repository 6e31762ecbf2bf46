import type { Config } from '../../config.ts'
import type { Author, Entry, Revision } from '../../contract/resources.ts'
import { Texts } from '../../memory/evidence/pieces-rules.ts'
import { type Voices, voicesWords } from '../../memory/evidence/rules.ts'
import { type Html, html, visible } from '../html.ts'
import { dayOf, titleOf } from '../parts/components.ts'
import { VERDICTS } from '../parts/evidence-summary.ts'
import { curlBase } from '../take-part/form.ts'

/** An exact revision, its author, and its evidence at the time `at`. */
type Cited = {
  slug: string
  revision: Pick<Revision, 'id' | 'title' | 'createdAt' | 'evidenceHash'>
  ordinal: number
  author: Author | undefined
  state: Entry['standing']['state']
  tally: Voices
  at: number
}

/** The references to a revision: its address, a sentence, Markdown and BibTeX. They name the evidence on the day, and the hash. */
export function referencesOf(config: Pick<Config, 'publicUrl' | 'port'>, cited: Cited) {
  const { slug, revision, ordinal, author, state, tally, at } = cited
  const address = `${curlBase(config)}/entries/${slug}/revisions/${revision.id}`
  const title = titleOf(revision.title)
  const name = titleOf(author?.declared.name ?? 'An unnamed actor')
  const evidence = [VERDICTS[state].name.toLowerCase(), voicesWords(tally)].filter(said => said !== '').join(', ')
  const note = `Evidence on ${dayOf(at)}: ${evidence}. SHA-256 ${revision.evidenceHash}`
  const day = revision.createdAt.slice(0, 10)
  const written = dayOf(new Date(revision.createdAt))
  return {
    address,
    text: `${name}: ${title}. Palimpsest, revision ${ordinal}, ${written}. ${address}\n${note}`,
    markdown: `[${marked(title)}, revision ${ordinal}](${address}) by ${marked(name)}, ${written}. ${note}`,
    bibtex: [
      `@misc{${slug}-r${ordinal},`,
      `  author = {{${braced(name)}}},`,
      `  title = {{${braced(title)}}},`,
      `  howpublished = {Palimpsest, revision ${ordinal}},`,
      `  year = {${day.slice(0, 4)}},`,
      `  date = {${day}},`,
      `  url = {${address}},`,
      `  urldate = {${new Date(at).toISOString().slice(0, 10)}},`,
      `  note = {${braced(note)}}`,
      '}',
    ].join('\n'),
  }
}

/** Escapes the signs of Markdown in a text within a line. */
const marked = (text: string): string => text.replace(/[\\`*_[\]<>#~|]/g, '\\$&')

/** BibTeX counts every brace, also one after a backslash. */
const NAMED = {
  ...{ '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}' },
  ...{ '{': '\\textbraceleft{}', '}': '\\textbraceright{}' },
}
/** Escapes the signs of TeX in a text within braces. */
const braced = (text: string): string =>
  text.replace(/[\\~^{}&%$#_]/g, sign => NAMED[sign as keyof typeof NAMED] ?? `\\${sign}`)

/** What a reader copies to cite a revision, beside its number. */
export function citing(config: Pick<Config, 'publicUrl' | 'port'>, cited: Cited): Html {
  const { address, text, markdown, bibtex } = referencesOf(config, cited)
  const path = `/entries/${cited.slug}/revisions/${cited.revision.id}`
  const copied = (name: string, reference: string): Html =>
    html`<p class="small">${name}</p><pre tabindex="0" data-copy="as ${name}">${reference}</pre>`
  return html`<details class="cite"><summary>Cite</summary>
<p><a href="${path}" rel="bookmark" data-copy="the link">${address}</a></p>
${copied('Text', text)}${copied('Markdown', markdown)}${copied('BibTeX', bibtex)}
<p class="small"><a href="${path}?cite=sentences#sentences">Links to its sentences</a></p></details>`
}

/** Maximum number of characters of the sentences that are listed. */
const LISTED_CHARACTERS = 10_000

/** The sentences of a revision as links. */
export function sentencesOf(revision: Revision, hrefOf: (sentence: string) => string): Html[] {
  const rows: Html[] = []
  let size = 0
  for (const { text } of new Texts().cut(revision).piecesAt()) {
    const sentence = text.trim()
    if (sentence === '') continue
    size += text.length
    if (size > LISTED_CHARACTERS) break
    rows.push(html`<li dir="auto"><a href="${hrefOf(sentence)}">${visible(sentence)}</a></li>`)
  }
  return rows
}

/** Number of words at each end of a long sentence that name it. */
const ENDS = 6

/** The part of an address that leads to a sentence of a rendered text: its words without the signs of Markdown. */
export function fragmentOf(sentence: string): string {
  const words = sentence
    .replace(/!?\[([^\][]{0,500})\]\([^()\s]{0,500}\)/g, '$1')
    .replace(/^\s*(?:[#>+-]|\d+[.)])+\s+/, '')
    .replace(/[*`_~\\]/g, '')
    .split(/\s+/)
  const encoded = (part: readonly string[]): string => encodeURIComponent(part.join(' ')).replaceAll('-', '%2D')
  return words.length <= 2 * ENDS
    ? `#:~:text=${encoded(words)}`
    : `#:~:text=${encoded(words.slice(0, ENDS))},${encoded(words.slice(-ENDS))}`
}
