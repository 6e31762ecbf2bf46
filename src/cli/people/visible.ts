/**
 * What a terminal obeys or does not show: controls of both sets, escape, delete, everything that turns the direction of reading or has no width,
 * separators of lines and paragraphs, fillers, tags and lone surrogates.
 */
const UNSEEN =
  '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0\\ufff0-\\ufff8\\u{e0000}-\\u{e0fff}'
const IN_A_LINE = new RegExp(`[${UNSEEN}]`, 'gu')
const IN_LINES = new RegExp(`(?![\\n\\t])[${UNSEEN}]`, 'gu')
/** JSON is itself a text in lines, whose own marks stay. */
const IN_JSON = new RegExp(`(?!\\n)[${UNSEEN}]`, 'gu')

const named = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** A text that stays on its line and moves nothing: every unseen character, line breaks and tabs too, is written as `\u{…}`. */
export const visibleLine = (text: string): string => text.replace(IN_A_LINE, named)

/** A text of several lines in which every other unseen character is written as `\u{…}`. */
export const visible = (text: string): string => text.replaceAll('\r\n', '\n').replace(IN_LINES, named)

/** A JSON text in which strings carry every unseen character as `\uXXXX`, which reads back as the same value. */
export const visibleJson = (json: string): string =>
  json.replace(IN_JSON, character =>
    Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit))
      .map(code => `\\u${code.toString(16).padStart(4, '0')}`)
      .join(''),
  )
