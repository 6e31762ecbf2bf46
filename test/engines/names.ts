/** Random values that each engine makes: tokens, digests, fingerprints of origins, marks of handles, ids. */
const MADE =
  /plm_[0-9A-Za-z]{33}|\b[0-9a-f]{64}\b|(?<="originId":"|"targetType":"ORIGIN","targetId":")[\w-]{22}(?=")|(?<="feedback":"\w+\.)[\w-]{12}(?=")|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi
const ANY_CASE = /^[0-9a-f-]{36,}$/i
/** An entry as it is served: its slug may end in a part of its id. */
const ENTRY = /"id":"([0-9a-f-]{36})","slug":"([^"]*)"/g
const NAME = /~\d+~/g

export type Names = ReturnType<typeof createNames>

/**
 * Names the random values of one engine by the order of their first appearance, so that answers of two engines can be compared:
 * `named` puts `~1~`, `~2~`, … into received text, `actual` puts the engine's values into sent text.
 */
export function createNames() {
  const names = new Map<string, string>()
  const actuals = new Map<string, string>()
  const slugs = new Map<string, string>()
  const nameOf = (made: string): string => {
    const key = ANY_CASE.test(made) ? made.toLowerCase() : made
    let name = names.get(key)
    if (name === undefined) {
      name = `~${names.size + 1}~`
      names.set(key, name)
      actuals.set(name, key)
    }
    return name
  }
  const learnSlugs = (text: string): void => {
    for (const [, id = '', slug = ''] of text.matchAll(ENTRY)) {
      const tail = /(?:^|-)([0-9a-f]{4,32})$/.exec(slug)?.[1]
      if (tail === undefined || slugs.has(slug) || !id.replaceAll('-', '').endsWith(tail)) continue
      const name = nameOf(`tail of ${id}`)
      actuals.set(name, tail)
      slugs.set(slug, slug.slice(0, -tail.length) + name)
    }
  }
  return {
    named(text: string): string {
      learnSlugs(text)
      let renamed = text
      for (const [slug, name] of slugs) renamed = renamed.replaceAll(slug, name)
      return renamed.replaceAll(MADE, nameOf)
    },
    actual: (text: string): string => text.replaceAll(NAME, name => actuals.get(name) ?? name),
  }
}
