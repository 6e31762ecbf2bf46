import { INVISIBLE } from '../../domain/invisible-characters.js'

/** Characters that a terminal obeys or does not show: the invisible ones, every other control or format character, lone surrogates. */
const UNSEEN = `${INVISIBLE}\\p{Cc}\\p{Cf}\\p{Cs}`
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
