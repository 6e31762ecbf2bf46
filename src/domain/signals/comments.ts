/** A line of Markdown that begins or ends fenced code, also inside quotes and lists. */
const FENCE = /^[ \t]{0,3}(?:>[ \t]?){0,8}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?[ \t]{0,8}(`{3,}|~{3,})/
const CODE_IN_LINE = /(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)/g

/** A link definition without a target: its title is used as a comment. */
const TITLE = /^ {0,3}\[[^\]\n]{1,99}\]:[ \t]{0,9}(?:#|<>)[ \t]{1,9}([("'].*)$/gm

/** The comments of Markdown outside of code, which the page does not show. The last HTML comment may lack its end. */
export function commentsOf(content: string): string[] {
  if (!content.includes('<!--') && !content.includes(']:')) return []
  const text = withoutCode(content)
  const comments = Array.from(text.matchAll(TITLE), ([, title = '']) => title)
  for (let at = text.indexOf('<!--'); at >= 0; ) {
    const end = text.indexOf('-->', at + 4)
    comments.push(text.slice(at + 4, end < 0 ? undefined : end))
    at = end < 0 ? end : text.indexOf('<!--', end)
  }
  return comments
}

/** Markdown without fenced code and inline code. */
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
