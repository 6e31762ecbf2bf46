import { HIDDEN, INVISIBLE, namesOf } from './invisible-characters.js'

const ANY = new RegExp(`[${INVISIBLE}]`, 'u')
/** Whether a text has an invisible character. Most texts have none, and this takes a fraction of the time of the other expressions. */
export const hasInvisible = (text: string): boolean => ANY.test(text)

/**
 * An untrusted text for readers without markup, such as a model: every invisible character that nothing needs is named in brackets in its
 * place.
 */
export function plain(text: string): string {
  const joined = text.replaceAll('\r\n', '\n')
  return hasInvisible(joined) ? joined.replace(HIDDEN, run => `[${namesOf(run)}]`) : joined
}
