/** A call as the guide describes it: a path with placeholders, and each member of the body with the text after its name. */
export type GuideCall = { method: string; path: string; members: Map<string, string>; gives: string }

/** The facts in the text of /llms.txt. Every function throws if the text does not have the fact. */
export type Guide = {
  /** The call after `after` in the line that begins with the word. */
  callTo(word: string, after?: string): GuideCall
  /** The text that the first group of a pattern matches. */
  find(what: string, pattern: RegExp): string
}

/** Reads a guide with no knowledge of the service. */
export function readGuide(text: string): Guide {
  const lines = text.split('\n').flatMap(line => (line.startsWith('- ') ? [line.slice(2)] : []))
  return {
    callTo(word, after = '') {
      const line = lines.find(one => one.toLowerCase().startsWith(word.toLowerCase()))
      const from = line?.indexOf(after) ?? -1
      const call = from < 0 ? undefined : callIn(line?.slice(from) ?? '')
      if (call === undefined) throw new Error(`the text does not say how to ${word.toLowerCase()}`)
      return call
    },
    find(what, pattern) {
      const found = pattern.exec(text)?.[1]
      if (found === undefined) throw new Error(`the text does not say ${what}`)
      return found
    },
  }
}

function callIn(line: string): GuideCall | undefined {
  const found = /\b(GET|POST) (\/[^\s,;:]*)( \{.*?\}(?=[\s;.]|$))?(?: -> (\S+))?/.exec(line)
  if (found === null) return undefined
  const [, method = '', path = '', body = '', gives = ''] = found
  const members = body.matchAll(/"(\w+)"(?::("[^"]*"|\[[^\]]*\]|[^,}]+))?/g)
  return { method, path, members: new Map([...members].map(([, name = '', shown = '']) => [name, shown])), gives }
}

/**
 * The body of a call, from the values of the caller and those of earlier answers. The text after a name is an example of the
 * value, the words or numbers that it can be, or the name of the member of an earlier answer.
 */
export function bodyOf(
  { path, members }: GuideCall,
  meant: Record<string, unknown>,
  read: Record<string, unknown> = {},
): Record<string, unknown> {
  for (const name of Object.keys(meant)) if (!members.has(name)) throw new Error(`${path} is not said to take ${name}`)
  const valueFor = (name: string, shown: string): unknown => {
    if (name in meant) {
      const value = meant[name]
      if (shown.includes('|') && !shown.slice(1, -1).split('|').includes(String(value))) {
        throw new Error(`${name} is not said to be ${value}`)
      }
      return value
    }
    if (shown in read) return read[shown]
    if (/^\[|^"\w+"$/.test(shown)) return JSON.parse(shown)
    throw new Error(`the text does not say what ${name} of ${path} is`)
  }
  return Object.fromEntries([...members].map(([name, shown]) => [name, valueFor(name, shown)]))
}
