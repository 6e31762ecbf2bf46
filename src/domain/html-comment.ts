/** A line of Markdown that begins or ends fenced code, inside of quotes and lists too. */
const FENCE = /^[ \t]{0,3}(?:>[ \t]?){0,8}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?[ \t]{0,8}(`{3,}|~{3,})/
const CODE_IN_LINE = /(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)/g

/** Comments that tools write and read: switches of linters, tables of contents, licences, notes of generators. */
const FOR_TOOLS =
  /^(?:(?:markdown|text|alex|vale|remark|es|tocstop|spell-?checker|cspell)?[ -]?(?:lint|ignore|disable|enable|cspell|vale)\b|\/?(?:toc|tocstop|more|nav|badges?|spdx|license|copyright|yaml)\b|(?:prettier|markdownlint|remark|all-contributors|doctoc|omit)\b|(?:todo|fixme)\b|(?:start|end|begin|generated|auto-?generated|made (?:from|by)|this file (?:is|was) (?:auto|gen))|#(?:end)?region)/i
/** A longer one says more than tools need. */
const FOR_TOOLS_MAX = 300

/** Whether Markdown has a comment, which no reader of the page sees, outside of code. What tools need is none. */
export function hasComment(content: string): boolean {
  if (!content.includes('<!--')) return false
  const text = withoutCode(content)
  for (let at = text.indexOf('<!--'); at >= 0; ) {
    const end = text.indexOf('-->', at + 4)
    const comment = text.slice(at + 4, end < 0 ? undefined : end).trim()
    if (comment.length > FOR_TOOLS_MAX || (comment !== '' && !FOR_TOOLS.test(comment))) return true
    if (end < 0) return false
    at = text.indexOf('<!--', end)
  }
  return false
}

/** Markdown without its fenced code and its code in lines. */
function withoutCode(content: string): string {
  const kept: string[] = []
  let fence: string | undefined
  for (const line of content.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (fence === undefined) {
      if (mark === undefined) kept.push(line.replace(CODE_IN_LINE, ''))
      else fence = mark
    } else if (mark?.startsWith(fence) === true) fence = undefined
  }
  return kept.join('\n')
}
