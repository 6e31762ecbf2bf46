import { Problem } from '../contract/problem.ts'
import { isToken, TOKEN_CHARACTERS, TOKEN_PREFIX } from './actor.ts'
import { EVERY_HIDDEN } from './invisible-characters.js'
import { isAscii } from './terms/fold.ts'
import { pathOfText } from './text.ts'

const KEY_BEGINNING = /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
/** The characters after the first line of a key that are searched. The fields before the bytes of the key are shorter. */
const KEY_HEAD_CHARACTERS = 500
/** Base64 characters in a row that count as a key; an ellipsis or a description has fewer. */
const KEY_CHARACTERS = 32

/** Refuses a JSON value with an actor token or a private key in PEM in any text, because stored texts are public and permanent. */
export function assertNoSecret(value: unknown): void {
  const path = pathOfText(value, holdsSecret)
  if (path !== undefined) throw new Problem('SECRET_IN_TEXT', path.length === 0 ? {} : { member: path.join('.') })
}

/** Whether a text contains a well-formed actor token with its checksum, or a private key in PEM, as it is written or as it is shown. */
export function holdsSecret(text: string): boolean {
  const shown = shownOf(text)
  return holdsToken(text) || holdsPrivateKey(text) || (shown !== text && (holdsToken(shown) || holdsPrivateKey(shown)))
}

/** The forms of an underscore in Markdown: escaped, or as a character reference. */
const UNDERSCORE = /\\_|&(?:#0{0,6}95|#[xX]0{0,5}5[fF]|lowbar);/g

/** A text without invisible characters, and with plain underscores. */
const shownOf = (text: string): string =>
  (isAscii(text) ? text : text.replace(EVERY_HIDDEN, '')).replaceAll(UNDERSCORE, '_')

function holdsToken(text: string): boolean {
  for (let at = text.indexOf(TOKEN_PREFIX); at >= 0; at = text.indexOf(TOKEN_PREFIX, at + 1)) {
    if (isToken(text.slice(at, at + TOKEN_CHARACTERS))) return true
  }
  return false
}

function holdsPrivateKey(text: string): boolean {
  if (!text.includes('-----BEGIN ')) return false
  for (const { 0: line, index } of text.matchAll(KEY_BEGINNING)) {
    const from = index + line.length
    // Keys also come quoted, indented, with escaped line breaks, and with fields before their bytes (RFC 1421, RFC 9580).
    const bytes = text
      .slice(from, from + KEY_HEAD_CHARACTERS)
      .replaceAll(/\\[rn]/g, '\n')
      .replaceAll(/^[\s>|#"'`*]*[A-Za-z-]+: .*$/gm, '')
      .replaceAll(/[\s>|#"'`*]/g, '')
    if (new RegExp(`^[A-Za-z0-9+/]{${KEY_CHARACTERS}}`).test(bytes)) return true
  }
  return false
}
