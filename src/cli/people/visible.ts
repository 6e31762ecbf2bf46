/**
 * Characters that a terminal obeys or does not show: controls of both sets, escape, delete, characters that change the direction of text or
 * have no width, separators of lines and paragraphs, fillers, tags and lone surrogates.
 */
const UNSEEN =
  '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0\\ufff0-\\ufff8\\u{e0000}-\\u{e0fff}'
const IN_A_LINE = new RegExp(`[${UNSEEN}]`, 'gu')
const IN_LINES = new RegExp(`(?![\\n\\t])[${UNSEEN}]`, 'gu')
/** JSON is itself a text in lines. Its line breaks stay. */
const IN_JSON = new RegExp(`(?!\\n)[${UNSEEN}]`, 'gu')

const named = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Escapes a text for one line: every invisible character, including line breaks and tabs, is written as `\u{…}`. */
export const visibleLine = (text: string): string => text.replace(IN_A_LINE, named)

/** Escapes a text of several lines: every invisible character except line breaks is written as `\u{…}`. */
export const visible = (text: string): string => text.replaceAll('\r\n', '\n').replace(IN_LINES, named)

/** Escapes a JSON text: strings contain every invisible character as `\uXXXX`, so that the value is the same. */
export const visibleJson = (json: string): string =>
  json.replace(IN_JSON, character =>
    Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit))
      .map(code => `\\u${code.toString(16).padStart(4, '0')}`)
      .join(''),
  )
