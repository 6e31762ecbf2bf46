import { SugarHigh, tokenize } from 'sugar-high/core'
import { lang, languages } from 'sugar-high/lang'
import { escapeHtml, visible } from '../html.ts'

/**
 * Maximum numbers of a block that is coloured: characters, characters of a line, and angle brackets. The time for each angle bracket, and
 * for some characters of a line, grows with what follows them. The costliest block within these takes less than 10 ms.
 */
const BLOCK_MAX = 3_000
const LINE_MAX = 200
const ANGLES_MAX = 100
/** Maximum size in bytes of the markup that the colours add to a text. A block that needs more is shown without colours. */
export const COLOURS_MAX = 3_000

const CONFIGS = new Map(languages.map(({ id, config }) => [id, config]))

/** The class of each coloured kind of token. Others have the colour of the text. */
const CLASSES = new Map(
  Object.entries({ keyword: 'k', entity: 'k', string: 's', class: 'n', comment: 'c' }).map(([kind, name]) => [
    SugarHigh.TokenMap.get(kind),
    name,
  ]),
)

const isModest = (code: string): boolean =>
  code.length <= BLOCK_MAX &&
  code.split('<').length <= ANGLES_MAX &&
  code.split('\n').every(line => line.length <= LINE_MAX)

/**
 * Code as markup with coloured keywords, strings, numbers and comments; its text is unchanged. `info` begins with the name of the language.
 * Undefined if the language is unknown, the code is too costly or has invisible characters, or the colours need more than `left` bytes.
 */
export function colouredCode(code: string, info: string, left: number): { markup: string; bytes: number } | undefined {
  const id = lang(/^\S*/.exec(info)?.[0] ?? '')
  const plain = escapeHtml(code)
  if (id === undefined || !isModest(code) || visible(code).markup !== plain) return undefined
  let [markup, text, open, blank] = ['', '', '', '']
  for (const [kind, words] of tokenize(code, CONFIGS.get(id))) {
    text += words
    if (words.trim() === '') {
      blank += words
      continue
    }
    const name = CLASSES.get(kind) ?? ''
    // Two tokens of one colour are one element, with the space between them.
    if (name !== open) markup += (open && '</i>') + blank + (name && `<i class="${name}">`)
    else markup += blank
    markup += escapeHtml(words)
    blank = ''
    open = name
  }
  markup += (open && '</i>') + blank
  const bytes = markup.length - plain.length
  // The tokens of code with faults can lack characters.
  return text === code && bytes <= left ? { markup, bytes } : undefined
}
