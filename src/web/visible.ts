import { escapeHtml, type Html, html, raw } from './html.ts'

/**
 * Characters that are not seen but change what is read: controls, bidirectional overrides and isolates, zero widths, fillers, tags and the
 * variation selectors that can carry bytes.
 */
const UNSEEN =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}]'
/** Joiners belong to many scripts and to emoji; behind Latin, Greek, Cyrillic or a sign they hide something. */
const STRAY_JOINER =
  '(?<=^|[\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{N}\\p{P}\\s])[\\u200c\\u200d]|(?<=[\\u200c\\u200d])[\\u200c\\u200d]'
const HIDDEN = new RegExp(`(?:${UNSEEN}|${STRAY_JOINER})+`, 'gu')
const EVERY_HIDDEN = new RegExp(`(?:${UNSEEN}|[\\u200c\\u200d\\ufe00-\\ufe0f])+`, 'gu')

/** How many unseen characters next to each other are named one by one. */
const NAMED_MAX = 4

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

function namesOf(run: string): string {
  const characters = [...run]
  const named = characters.slice(0, NAMED_MAX).map(nameOf).join(' ')
  return characters.length > NAMED_MAX ? `${named} … ${characters.length} unseen characters` : named
}

function shown(text: string, hidden: RegExp): Html {
  const plain = text.replaceAll('\r\n', '\n')
  let markup = ''
  let from = 0
  for (const match of plain.matchAll(hidden)) {
    markup += `${escapeHtml(plain.slice(from, match.index))}<b class="unseen">${namesOf(match[0])}</b>`
    from = match.index + match[0].length
  }
  return raw(markup + escapeHtml(plain.slice(from)))
}

/** Somebody's text, escaped, with every unseen character named where it stands. */
export const visible = (text: string): Html => shown(text, HIDDEN)

/** The same for places where two texts are compared: joiners and variation selectors are named too. */
export const everyCharacter = (text: string): Html => shown(text, EVERY_HIDDEN)

/** Somebody's text in a line of ours: it cannot turn the direction of what stands around it. */
export const words = (text: string): Html => html`<bdi>${visible(text)}</bdi>`

/** Somebody's text where no markup can stand (titles, attributes, feeds): unseen characters are left out. */
export const seen = (text: string): string => text.replace(HIDDEN, '')
