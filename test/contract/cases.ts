import { codeOf } from '../../src/contract/member-problems.ts'
import type { ProblemCode } from '../../src/contract/problem.ts'

/** The part of JSON Schema that the contract uses. */
export type Schema = {
  type?: string
  enum?: readonly string[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: readonly string[]
}

/** A value to try: `fault` is the problem it must meet; none means that the schema allows it. */
export type Trial = { label: string; value: unknown; fault?: Fault }
/** A problem code. MEMBER is a placeholder for the code of the tested member. */
export type Fault = ProblemCode | 'MEMBER'
/** A whole body as JSON text, with one field at a time changed. */
export type BodyCase = { field: string; label: string; text: string; fault: ProblemCode | undefined }

const BODY_BYTES = 32_768
const RAW = '@@raw:'
/** JSON text that JSON.stringify would not write. */
const raw = (text: string): string => `${RAW}${encodeURIComponent(text)}`
const jsonText = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/"@@raw:([^"]*)"/g, (_, text: string) => decodeURIComponent(text))

const bad = (label: string, value: unknown, fault: Fault = 'MEMBER'): Trial => ({ label, value, fault })
const good = (label: string, value: unknown): Trial => ({ label, value })

/** Letters of one to four bytes in UTF-8. */
export const LETTERS = ['x', 'é', 'あ', '𐐨']

const TYPES: Record<string, unknown> = {
  string: 'text',
  number: 1,
  boolean: true,
  null: null,
  array: [],
  object: {},
}
const otherTypes = (type: string): Trial[] =>
  Object.entries(TYPES)
    .filter(([other]) => other !== type)
    .map(([other, value]) => bad(`${other} for ${type}`, value))

export function trialsOf(schema: Schema, sample: unknown): Trial[] {
  if (schema.enum !== undefined) return [...otherTypes('string'), ...enumTrials(schema.enum)]
  if (schema.format === 'uuid') return [...otherTypes('string'), ...uuidTrials(String(sample))]
  if (schema.type === 'string') return [...otherTypes('string'), ...textTrials(schema)]
  if (schema.type === 'number') return [...otherTypes('number'), ...numberTrials(schema)]
  if (schema.type === 'array') return [...otherTypes('array'), ...arrayTrials(schema, sample as unknown[])]
  if (schema.type === 'object') return otherTypes('object')
  throw new Error(`No trials for ${JSON.stringify(schema)}`)
}

function enumTrials(words: readonly string[]): Trial[] {
  const first = words[0] ?? ''
  const wrong = ['', 'NONSENSE', first.toLowerCase(), ` ${first}`, `${first} `, `${first}\n`, `${first}\u0000`, 'null']
  return [...wrong.map(word => bad(`word ${JSON.stringify(word)}`, word)), ...words.map(word => good(word, word))]
}

export const GOOD_UUIDS = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map(version => `019a9b1c-0c40-${version}a10-8f3e-2b8a51d0c999`),
  ...[...'89abAB'].map(variant => `019a9b1c-0c40-7a10-${variant}f3e-2b8a51d0c999`),
  '019A9B1C-0C40-7A10-8F3E-2B8A51D0C999',
  '019A9b1c-0c40-7A10-8f3E-2b8A51d0c999',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
]
export const BAD_UUIDS = [
  ...[...'09af'].map(version => `019a9b1c-0c40-${version}a10-8f3e-2b8a51d0c999`),
  ...[...'07cdeF'].map(variant => `019a9b1c-0c40-7a10-${variant}f3e-2b8a51d0c999`),
  '019a9b1c0c407a108f3e2b8a51d0c999',
  '{019a9b1c-0c40-7a10-8f3e-2b8a51d0c999}',
  'urn:uuid:019a9b1c-0c40-7a10-8f3e-2b8a51d0c999',
  '019a9b1c-0c40-7a10-8f3e-2b8a51d0c99',
  '019a9b1c-0c40-7a10-8f3e-2b8a51d0c9999',
  '019a9b1c-0c407-a10-8f3e-2b8a51d0c999',
  '019a9b1g-0c40-7a10-8f3e-2b8a51d0c999',
  '019a9b1c_0c40_7a10_8f3e_2b8a51d0c999',
  '00000000-0000-0000-0000-000000000001',
  'ffffffff-ffff-ffff-ffff-fffffffffffe',
]

function uuidTrials(sample: string): Trial[] {
  const wrong = ['', ...BAD_UUIDS, ` ${sample}`, `${sample} `, `${sample}\n`, `${sample}\u0000`, '０'.repeat(36)]
  return [
    ...wrong.map(value => bad(`id ${JSON.stringify(value)}`, value)),
    ...GOOD_UUIDS.map(value => good(`foreign id ${value}`, value)),
    good('its id in upper case', sample.toUpperCase()),
  ]
}

/** Texts of `length` code points, most of which are longer in UTF-16, in bytes or shorter in graphemes. */
export function textsOf(length: number): [string, string][] {
  const wide = Math.floor(length / 5.5)
  return [
    ...LETTERS.map((letter, index): [string, string] => [`${index + 1}-byte`, letter.repeat(length)]),
    ['mixed', 'x'.repeat(length - wide) + '𐐨'.repeat(wide)],
    ['combining', 'x'.repeat(length % 2) + 'e\u0301'.repeat(Math.floor(length / 2))],
  ]
}

function textTrials({ minLength = 0, maxLength, pattern }: Schema): Trial[] {
  if (maxLength === undefined || minLength !== 1) throw new Error('Every text has both bounds.')
  if (pattern?.startsWith('^[0-9]')) return digitTrials(maxLength)
  const unclean = pattern === undefined ? 'INVALID_TEXT' : 'MEMBER'
  return [
    bad('empty', ''),
    ...LETTERS.map(letter => good(`one ${letter}`, letter)),
    ...textsOf(maxLength).map(([label, text]) => good(`${maxLength} ${label}`, text)),
    ...textsOf(maxLength + 1).map(([label, text]) => bad(`${maxLength + 1} ${label}`, text)),
    bad('U+0000', '\u0000', unclean),
    bad('U+0000 inside', 'a\u0000b', unclean),
    bad('lone high surrogate', 'a\ud800', unclean),
    bad('lone low surrogate', '\udc00b', unclean),
    bad('reversed surrogates', '\udc00\ud800', unclean),
    good('surrogate pair escaped', raw('"\\ud801\\udc28"')),
    ...(pattern === undefined
      ? ['😀', '\u0001', '\u007f', '\r\n\t', '\u2028', '\ufeff', '\u202e', '\ufffe'].map(text =>
          good(JSON.stringify(text), text),
        )
      : tagTrials()),
  ]
}

/** A number written as text. */
const digitTrials = (digits: number): Trial[] => [
  ...['0', '1', '9'.repeat(digits), '0'.repeat(digits)].map(text => good(text, text)),
  ...['', 'x', '-1', '1.0', ' 1', '1 ', '１', '1'.repeat(digits + 1), '1\u0000', '\ud800'].map(text =>
    bad(JSON.stringify(text), text),
  ),
]

const tagTrials = (): Trial[] => [
  ...['a_b', 'a!', 'a\n', '\ta', 'a/b', 'a.b', "a'b", '😀', 'a,b', '#a', '\u00a0', 'a\u200b', '+'].map(tag =>
    bad(`tag ${JSON.stringify(tag)}`, tag),
  ),
  ...['a b-c 9', '-', ' ', 'हिन्दी', '٣', 'Ünï', 'ⅻ', '½'].map(tag => good(`tag ${JSON.stringify(tag)}`, tag)),
]

function numberTrials({ minimum = 0, maximum = 0 }: Schema): Trial[] {
  const within = [
    String(minimum),
    String(maximum),
    '-0',
    '-0.0',
    '5e-324',
    '0.999999999999999999999',
    '1e-400',
    '1.0',
    '10e-1',
  ]
  const beyond = ['-5e-324', '1.0000000000000002', '-1', '2', '1e400', '-1e400', '1e308']
  const malformed = ['NaN', 'Infinity', '-Infinity', '.5', '1.', '01', '+1', '0x1', '1e', '--1']
  return [
    ...within.map(text => good(text, raw(text))),
    ...beyond.map(text => bad(text, raw(text))),
    ...malformed.map(text => bad(text, raw(text), 'MALFORMED_JSON')),
    ...['0.5', '1', 'NaN', ''].map(text => bad(`"${text}"`, text)),
  ]
}

function arrayTrials({ minItems = 0, maxItems }: Schema, sample: readonly unknown[]): Trial[] {
  if (maxItems === undefined) throw new Error('Every array has a bound.')
  const item = sample[0]
  const many = (length: number): unknown[] => Array.from({ length }, () => item)
  return [
    minItems === 0 ? good('empty', []) : bad('empty', []),
    good(`${maxItems} items`, many(maxItems)),
    bad(`${maxItems + 1} items`, many(maxItems + 1)),
    bad('nested', [[item]]),
    bad('array-like object', { 0: item, length: 1 }),
    bad('the item itself', item),
  ]
}

type Place = { at: readonly (string | number)[]; schema: Schema; required: boolean }

/** Every field of a schema, with those inside of arrays and objects; `sample` fills them all. */
export function placesOf(schema: Schema, at: Place['at'] = [], required = true): Place[] {
  const own = { at, schema, required }
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    placesOf(member, [...at, name], schema.required?.includes(name) === true),
  )
  return [own, ...inside, ...(schema.items === undefined ? [] : placesOf(schema.items, [...at, 0], false))]
}

/** The code of the innermost name of a path; of the body itself where there is none. */
function codeAt(at: Place['at']): ProblemCode {
  const name = at.findLast(part => typeof part === 'string')
  return name === undefined ? 'INVALID_BODY' : codeOf(String(name))
}

type Container = Record<string | number, unknown>
const valueAt = (value: unknown, at: Place['at']): unknown =>
  at.reduce((inner, key) => (inner as Container)[key], value)

function changed(
  sample: unknown,
  at: Place['at'],
  change: (container: Container, key: string | number) => void,
): unknown {
  const holder: Container = { body: structuredClone(sample) }
  const path = ['body', ...at]
  const key = path.pop() ?? 'body'
  change(valueAt(holder, path) as Container, key)
  return holder.body
}

/** All bodies derived from the schema of a request body: each field at, over and under its bounds, missing, unknown and of every type. */
export function bodyCases(schema: Schema, sample: Record<string, unknown>): BodyCase[] {
  const make = (at: Place['at'], { label, value, fault }: Trial, body: unknown): BodyCase => {
    const text = jsonText(body ?? value)
    const large = Buffer.byteLength(text) > BODY_BYTES
    return {
      field: at.join('.'),
      label,
      text,
      fault: large ? 'BODY_TOO_LARGE' : fault === 'MEMBER' ? codeAt(at) : fault,
    }
  }
  return placesOf(schema).flatMap(({ at, schema: own, required }) => {
    const set = (trial: Trial): BodyCase =>
      make(
        at,
        trial,
        changed(sample, at, (container, key) => {
          container[key] = trial.value
        }),
      )
    const cases = trialsOf(own, valueAt(sample, at)).map(set)
    if (at.length > 0 && typeof at.at(-1) === 'string') {
      const trial = required ? bad('missing', undefined, 'MISSING_MEMBER') : good('left out', undefined)
      cases.push(
        make(
          at,
          trial,
          changed(sample, at, (container, key) => void delete container[key]),
        ),
      )
    }
    if (own.type === 'object') {
      for (const name of ['unknown', 'contentTrust', 'Title', 'constructor', 'toString', '']) {
        const add = (container: Container, key: string | number): void => {
          Object.assign(container[key] as Container, { [name]: 'x' })
        }
        cases.push(make(at, bad(`unknown member "${name}"`, undefined, 'UNKNOWN_MEMBER'), changed(sample, at, add)))
      }
    }
    return cases
  })
}
