import { closestMatch } from 'leven'

/** One edit for each so many characters may separate what was typed from what was meant. */
const CHARACTERS_AN_EDIT = 3

/** A question that names what is spelled most like the given word, whatever its case; empty where nothing is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const lower = new Map(names.map(name => [name.toLowerCase(), name]))
  const maxDistance = Math.max(1, Math.ceil(given.length / CHARACTERS_AN_EDIT))
  const near = closestMatch(given.toLowerCase(), [...lower.keys()], { maxDistance })
  return near === undefined ? '' : ` Did you mean ${lower.get(near)}?`
}
