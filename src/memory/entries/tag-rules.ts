import { foldCase } from '../../find/rules/words.ts'

/** The key of a tag, equal for all its spellings: NFKC, case folded, trimmed, runs of spaces collapsed. */
export function tagKey(tag: string): string {
  return foldCase(tag.normalize('NFKC')).normalize('NFKC').replace(/ +/g, ' ').trim()
}

/** The tags as stored: the first spelling of each, in the order sent. Tags of spaces alone are left out. */
export function distinctTags(tags: readonly string[]): string[] {
  const seen = new Set<string>([''])
  return tags.filter(tag => {
    const key = tagKey(tag)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
