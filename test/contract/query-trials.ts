import { BAD_UUIDS, GOOD_UUIDS, type Schema, textsOf } from './cases.ts'

const WHOLE_FAULTS = [
  '',
  '-1',
  '+1',
  '1.0',
  '1.5',
  '1e1',
  '0x1',
  'NaN',
  'Infinity',
  'abc',
  'null',
  '%201',
  '1%20',
  '1%00',
  '１',
  '1,2',
  '[1]',
  '99999999999999999999',
  '9007199254740993',
]
export const CURSOR_FAULTS = [
  '',
  '-1',
  '+1',
  '1.0',
  '1e3',
  '0x10',
  'abc',
  '%201',
  '1%0a',
  '1%00',
  '１',
  '1'.repeat(20),
  '0'.repeat(20),
]
const TEXT_FAULTS = [
  '%00',
  'a%00b',
  '%',
  '%4',
  '%zz',
  '%ff',
  '%c0%80',
  '%ed%a0%80',
  '%ed%b0%80',
  '%f4%90%80%80',
  '%e3%81',
]

const many = (count: number, id: string): string => Array.from({ length: count }, () => id).join()
/** How many items a list with commas may have, by its pattern. */
const mostOf = (pattern: string): number => 1 + Number(/\{0,(\d+)\}\$$/.exec(pattern)?.[1])

/** Raw query values that a parameter must refuse, and those it must take. */
export function queryTrials(schema: Schema): { refused: string[]; taken: string[] } {
  const { minimum = 0, maximum = 0, minLength = 0, maxLength, pattern } = schema
  if (schema.type === 'integer') {
    const over = [String(minimum - 1), String(maximum + 1), String(maximum * 1000)]
    return {
      refused: [...WHOLE_FAULTS, ...over].map(escaped),
      taken: [String(minimum), String(minimum + 1), String(maximum - 1), String(maximum), escapedDigits(minimum)],
    }
  }
  if (schema.enum !== undefined) {
    const first = schema.enum[0] ?? ''
    return {
      refused: [
        '',
        'nonsense',
        first.toLowerCase() === first ? first.toUpperCase() : first.toLowerCase(),
        `${first}%20`,
        `%20${first}`,
        ...TEXT_FAULTS,
      ],
      taken: [...schema.enum],
    }
  }
  if (pattern?.includes('[^,]')) {
    const most = mostOf(pattern)
    const width = Math.min(120, Math.floor(((maxLength ?? 0) + 1) / most) - 1)
    const tooMany = [many(most + 1, 'a'), 'x'.repeat(121), `a,${'x'.repeat(121)}`]
    return {
      refused: ['', ',', 'a,', ',a', 'a,,b', ...tooMany, ...TEXT_FAULTS],
      taken: ['a', 'a,a', '%20', 'a%2Cb', many(most, 'x'.repeat(width))],
    }
  }
  if (pattern?.includes('[89abAB]')) {
    const [id = ''] = GOOD_UUIDS
    const most = pattern.includes('(?:,') ? mostOf(pattern) : 1
    const faults = ['', ',', `${id},`, `,${id}`, many(most + 1, id), ...BAD_UUIDS.map(escaped), ...TEXT_FAULTS]
    return { refused: faults, taken: [...GOOD_UUIDS, many(most, id)] }
  }
  if (pattern?.includes('|')) {
    const words = [...pattern.slice(0, pattern.indexOf(')')).matchAll(/[A-Z]+/g)].map(([word]) => word)
    const [first = ''] = words
    return {
      refused: [
        '',
        ',',
        first.toLowerCase(),
        `${first},`,
        `${first}%20`,
        many(words.length + 1, first),
        ...TEXT_FAULTS,
      ],
      taken: [...words, words.join(), many(words.length, first)],
    }
  }
  if (pattern !== undefined) {
    return {
      refused: CURSOR_FAULTS.map(escaped),
      taken: ['0', '1', '%31', '9'.repeat(9), '1'.repeat(18), '9'.repeat(19), '0'.repeat(19)],
    }
  }
  if (maxLength === undefined) throw new Error('Every text has a bound.')
  return {
    refused: [
      ...(minLength === 0 ? [] : ['']),
      ...TEXT_FAULTS,
      ...textsOf(maxLength + 1).map(([, text]) => encodeURIComponent(text)),
    ],
    taken: [
      ...(minLength === 0 ? [''] : []),
      '+',
      '%22',
      '*',
      "'",
      'a%26b%3d',
      '%E2%80%8B',
      '%f0%9f%98%80',
      ...textsOf(maxLength).map(([, text]) => encodeURIComponent(text)),
    ],
  }
}
/** A number with its digits percent-encoded. */
const escapedDigits = (value: number): string => [...String(value)].map(digit => `%3${digit}`).join('')
export const escaped = (value: string): string => value.replaceAll(/[^\x20-\x7e]/g, encodeURIComponent)
