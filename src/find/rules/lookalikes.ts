import { createRequire } from 'node:module'
import { foldWord, isAscii } from './fold.ts'

/** Letters whose capitals look like Latin ones, and small capitals. */
const BY_HAND: Record<string, string> = Object.fromEntries([
  ...[...'авекмнорстухіјѕһαβεικνορτυχ'].map((letter, at) => [letter, 'abekmhopctyxijshabeikvoptux'[at]]),
  ...[...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ'].map((letter, at) => [letter, 'abcdefghijklmnopqrstuvwyz'[at]]),
])

let lookalikes: ReadonlyMap<string, string> | undefined

/**
 * The confusables of UTS 39 that look like letters and digits of ASCII. Folding changes capitals: the look-alike of the folded letter
 * itself takes precedence.
 */
function createLookalikes(): ReadonlyMap<string, string> {
  const data = createRequire(import.meta.url)('unhomoglyph/data.json') as Record<string, string>
  const plain = Object.entries(data).filter(([sign, latin]) => !isAscii(sign) && /^[a-z0-9]+$/i.test(latin))
  const folded = plain.map(([sign, latin]) => [foldWord(sign), latin.toLowerCase()] as const)
  const made = new Map(folded.filter(([sign]) => !isAscii(sign) && [...sign].length === 1))
  for (const [sign, latin] of plain) made.set(sign, latin.toLowerCase())
  for (const [letter, latin] of Object.entries(BY_HAND)) made.set(letter, latin)
  // A small mu is the sign of a millionth: 5 µg is not 5 mg.
  made.delete('μ')
  return made
}

/** A folded text with Latin letters and digits in place of characters that look like them. */
export function withLatinLetters(text: string): string {
  if (isAscii(text)) return text
  lookalikes ??= createLookalikes()
  const known = lookalikes
  return text.replace(/[^\0-\x7f]/gu, character => known.get(character) ?? character)
}
