import { LIMITS } from '../../src/contract/limits.ts'
import { CHANGE_ACTIONS } from '../../src/contract/vocabulary.ts'
import type { seededRandom } from '../support/random.ts'
import { placesOf, type Schema, trialsOf } from './cases.ts'

export type Random = ReturnType<typeof seededRandom>

const ALPHABETS = [
  '0123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'ABC xyz-09',
  'éßçñ',
  'あ漢字',
  '𐐨😀',
  ' .,;:!?"\'<>&\\/',
  '\t\r\n',
  '\u202e\u200b\ufeff',
]

export const digits = (random: Random, length: number): string =>
  Array.from({ length }, () => random.below(10)).join('')

function textOf(random: Random, length: number, alphabet: string): string {
  const characters = [...alphabet]
  return Array.from({ length }, () => random.pick(characters)).join('')
}

export function uuidOf(random: Random): string {
  const hex = (length: number): string => textOf(random, length, '0123456789abcdef')
  return `${hex(8)}-${hex(4)}-${1 + random.below(8)}${hex(3)}-${random.pick('89ab'.split(''))}${hex(3)}-${hex(12)}`
}

/** Most texts are short, a few as long as they may be. */
const lengthOf = (random: Random, least: number, most: number): number =>
  random.below(50) === 0 ? most : Math.min(most, least + random.below(40))

function stringOf(random: Random, { minLength = 0, maxLength = 12, pattern }: Schema): string {
  if (pattern?.startsWith('^[0-9]')) return digits(random, 1 + random.below(maxLength))
  // Of a list with commas the generator makes one item, which is as long as a slug at most.
  const most = pattern?.includes('[^,]') ? LIMITS.slugCharacters : maxLength
  const length = lengthOf(random, Math.max(1, minLength), most)
  const fitting =
    pattern === undefined ? ALPHABETS : ALPHABETS.filter(alphabet => new RegExp(pattern, 'u').test(alphabet))
  return textOf(random, length, random.pick(fitting))
}

/** A value that a schema allows. Ids come from `idFor`, by the name of the member. `full` leaves nothing optional out. */
export function sampleOf(
  random: Random,
  schema: Schema,
  idFor: (name: string) => string,
  full: boolean,
  name = '',
): unknown {
  if (schema.enum !== undefined) return random.pick(schema.enum)
  if (schema.format === 'uuid') return idFor(name)
  if (name === 'targetId') return idFor(name)
  switch (schema.type) {
    case 'string':
      if (name === 'actor') return uuidOf(random)
      if (name === 'action') return random.pick(CHANGE_ACTIONS)
      return stringOf(random, schema)
    case 'integer':
      return (schema.minimum ?? 0) + random.below((schema.maximum ?? 100) - (schema.minimum ?? 0) + 1)
    case 'number':
      return (schema.minimum ?? 0) + random.next() * ((schema.maximum ?? 1) - (schema.minimum ?? 0))
    case 'array': {
      const count = full ? 1 : random.below(Math.min(3, schema.maxItems ?? 3))
      return Array.from({ length: count }, () => sampleOf(random, schema.items ?? {}, idFor, full, name))
    }
    default: {
      const members = Object.entries(schema.properties ?? {}).filter(
        ([key]) => full || schema.required?.includes(key) === true || random.below(2) === 0,
      )
      return Object.fromEntries(members.map(([key, member]) => [key, sampleOf(random, member, idFor, full, key)]))
    }
  }
}

type Container = Record<string | number, unknown>

/** A body with exactly one fault: a member beyond its bounds, of a wrong type, missing or unknown. */
export function faultyBody(random: Random, schema: Schema, good: unknown): unknown {
  const holder: Container = { body: structuredClone(good) }
  const { at, schema: own, required } = random.pick(placesOf(schema))
  const path: (string | number)[] = ['body', ...at]
  const key = path.pop() ?? 'body'
  const container = path.reduce<Container>((inner, step) => inner[step] as Container, holder)
  const kinds = [
    'trial',
    ...(required && at.length > 0 ? ['missing'] : []),
    ...(own.type === 'object' ? ['unknown'] : []),
  ]
  switch (random.pick(kinds)) {
    case 'missing':
      delete container[key]
      break
    case 'unknown':
      Object.assign(container[key] as Container, { [`x${random.below(1_000)}`]: random.pick([1, 'a', null, [], {}]) })
      break
    default:
      container[key] = random.pick(trialsOf(own, container[key]).filter(({ fault }) => fault !== undefined)).value
  }
  return holder.body
}

/** A query value that a parameter's schema refuses, percent-encoded. */
export function faultyParameter(
  random: Random,
  { type, enum: words, maxLength, minimum = 0, maximum = 0 }: Schema,
): string {
  if (type === 'integer')
    return random.pick(['', '-1', '1.5', '1e1', 'x', '%00', String(minimum - 1), String(maximum + 1)])
  const [word = ''] = words ?? []
  const otherCase = word === word.toUpperCase() ? word.toLowerCase() : word.toUpperCase()
  if (words !== undefined) return random.pick(['', 'x', `${word}%00`, otherCase])
  if (maxLength === undefined) return random.pick(['', '-1', 'x', '1.0', digits(random, 20), '%31%00'])
  return random.pick([
    '%00',
    '%',
    '%ff',
    '%ed%a0%80',
    'x'.repeat(maxLength + 1),
    // A request line has room for 1,000 of them.
    ...(maxLength < 1_000 ? [encodeURIComponent('😀'.repeat(maxLength + 1))] : []),
  ])
}

/** Bytes of all sorts: nonsense, broken JSON, JSON of any shape. */
export function anyBytes(random: Random): Buffer {
  switch (random.below(4)) {
    case 0:
      return Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)))
    case 1:
      return Buffer.from(JSON.stringify(anyJson(random, 4)))
    case 2: {
      const text = JSON.stringify(anyJson(random, 4))
      return Buffer.from(text.slice(0, random.below(text.length)) + random.pick(['', '}', ',', '\u0000']) + text)
    }
    default:
      return Buffer.from(random.pick(['[', '{"a":', '"', ' ']).repeat(random.below(9_000)))
  }
}

const NAMES = [
  'title',
  'content',
  'summary',
  'tags',
  'sources',
  'entryId',
  'revisionId',
  '__proto__',
  'constructor',
  'rationale',
  '',
]

function anyJson(random: Random, depth: number): unknown {
  switch (random.below(depth > 0 ? 7 : 5)) {
    case 0:
      return random.pick([null, true, false])
    case 1:
      return random.pick([0, -1, 1.5, 1e308, -1e-308, 2 ** 53])
    case 2:
      return uuidOf(random)
    case 3:
      return textOf(random, random.below(60), random.pick(ALPHABETS))
    case 4:
      return random.pick(['\u0000', '\ud800', '', 'SUPPORTED', 'EXPAND', 'ENTRY'])
    case 5:
      return Array.from({ length: random.below(5) }, () => anyJson(random, depth - 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(7) }, () => [random.pick(NAMES), anyJson(random, depth - 1)]),
      )
  }
}

/** A path that may be anything a client can put into a request line. */
export function anyPath(random: Random): string {
  const piece = (): string =>
    random.pick([
      'api',
      'entries',
      'search',
      'admin',
      '..',
      '.',
      '%2e%2e',
      '%00',
      '%',
      '%ff',
      '%zz',
      '',
      'x'.repeat(random.below(200)),
      digits(random, 5),
      uuidOf(random),
      '%f0%9f%98%80',
      ';a=b',
      '*',
      "'",
      'health',
    ])
  const path = Array.from({ length: 1 + random.below(5) }, piece).join('/')
  const search = random.below(2) === 0 ? '' : `?${piece()}=${piece()}&limit=${digits(random, 1 + random.below(3))}`
  return `/${path}${search}`
}
