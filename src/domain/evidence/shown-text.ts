import type { Token } from 'markdown-it'
import { COSTLY_RULES, createParser, isModest } from '../markdown-parser.ts'

type Parser = ReturnType<typeof createParser>

/** A text without these signs is shown as written. */
const MARKED = /[\\`*_~[\]<>&|#=+]/

/** Creates a parser on first use. It leaves addresses in running text as written. */
function lazily(disabled: readonly string[]): () => Parser {
  let made: Parser | undefined
  return () => {
    made ??= createParser().disable(['linkify', ...disabled])
    return made
  }
}
const whole = lazily([])
const cheap = lazily(COSTLY_RULES)

/**
 * The words of a content as its page shows them. Leaves out titles and addresses of links, definitions, language names and struck-out text.
 * Decodes character references, and joins words that marks divide. Takes text of any length, in time proportional to it.
 */
export function shownText(content: string): string {
  if (!MARKED.test(content)) return content
  const parser = isModest(content) ? whole() : cheap()
  const shown: string[] = []
  for (const token of parser.parse(content, {})) {
    if (token.type === 'inline') shown.push(lineOf(token.children ?? []), '\n')
    else if (token.type === 'list_item_open') shown.push(token.info, ' ')
    else if (token.content !== '') shown.push(token.content, '\n')
  }
  return shown.join('')
}

function lineOf(tokens: readonly Token[]): string {
  let line = ''
  /** The number of open elements that strike text out. */
  let struck = 0
  for (const [at, token] of tokens.entries()) {
    if (token.type === 's_open') struck += 1
    else if (token.type === 's_close') struck -= 1
    else if (struck > 0) continue
    else if (token.type === 'softbreak' || token.type === 'hardbreak') line += '\n'
    else if (token.type === 'image') line += token.content || String(token.attrGet('src') ?? '')
    // A link without words shows its address.
    else if (token.type === 'link_open' && tokens[at + 1]?.type === 'link_close') line += String(token.attrGet('href'))
    else line += token.content
  }
  return line
}
