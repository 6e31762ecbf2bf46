import type { Environment } from '../../contract/resources.ts'

/** An environment of supporting judgements: a product, its newest judged version, the voices, and the time of the newest judgement. */
export type ObservedEnvironment = Environment & { voices: number[]; at: number }
/** A support of a text, as far as it counts here. */
type Support = { observedOn: readonly Environment[]; voice: number; at: number }

/** The first number of a version, within which versions count as one; the version itself if it has none. */
const majorOf = (version: string): string => /\d+/.exec(version)?.[0] ?? version

const nameOf = ({ name }: Pick<Environment, 'name'>): string => name.trim().toLowerCase()

const NAMED = 5

/** The environments of supports, which come newest first: at most five, one for each product and major version. */
export function environmentsOf(supports: readonly Support[]): ObservedEnvironment[] {
  const found = new Map<string, ObservedEnvironment>()
  for (const { observedOn, voice, at } of supports) {
    for (const { name, version } of observedOn) {
      const key = `${nameOf({ name })}@${majorOf(version)}`
      const known = found.get(key) ?? { name, version, voices: [], at }
      if (!known.voices.includes(voice)) known.voices.push(voice)
      found.set(key, known)
    }
  }
  return [...found.values()].slice(0, NAMED)
}

/** Products with versions as `nodejs@22.14,debian@12`. A product without a version stands for any. */
export const parseEnvironment = (text: string): { name: string; version?: string }[] =>
  text.split(',').flatMap(part => {
    const [name = '', version = ''] = part.split('@').map(one => one.trim())
    return name === '' ? [] : [{ name, ...(version === '' ? {} : { version }) }]
  })

/** For each product of a reader that a text was confirmed on: the voices on its major version, and on other versions only, and the latest time. */
export function confirmedOn(observed: readonly ObservedEnvironment[], env: ReturnType<typeof parseEnvironment>) {
  return env.flatMap(({ name, version }) => {
    const own = observed.filter(one => nameOf(one) === nameOf({ name }))
    if (own.length === 0) return []
    const isSame = (one: Environment): boolean => version === undefined || majorOf(one.version) === majorOf(version)
    const same = new Set(own.filter(isSame).flatMap(({ voices }) => voices))
    const other = new Set(own.flatMap(({ voices }) => voices).filter(voice => !same.has(voice)))
    return [{ name, same: same.size, other: other.size, at: Math.max(...own.map(({ at }) => at)) }]
  })
}

let month: Intl.DateTimeFormat | undefined

/** Where a text was confirmed, in words: "PostgreSQL 15 and 16, last in October 2026"; empty if unknown. Names and versions are untrusted. */
export function environmentWords(observed: readonly (Environment & { lastAt: string })[]): string {
  const [first] = observed
  if (first === undefined) return ''
  const products = [...Map.groupBy(observed, nameOf).values()].map(all => {
    const versions = all.map(({ version }) => version).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    return `${all[0]?.name} ${listed(versions)}`
  })
  const last = Math.max(...observed.map(({ lastAt }) => Date.parse(lastAt)))
  // Made when it is first needed: each thread loads this module, and the data of a format takes long to load.
  month ??= new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return `${products.join(', ')}, last in ${month.format(last)}`
}

const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`
