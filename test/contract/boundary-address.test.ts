import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf } from '../../src/contract/member-problems.ts'
import { OPERATIONS, type Operation, type OperationName } from '../../src/contract/operations.ts'
import type { ProblemCode } from '../../src/contract/problems.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { expectStatus } from '../support/client.ts'
import { BAD_UUIDS, GOOD_UUIDS, type Schema, textsOf } from './cases.ts'
import { inParallel, openWire, type Wire } from './wire.ts'
import { bodyOf, credentialOf, expectRefusal, makeWorld, pathOf, storingNothing, type World } from './world.ts'

const WIDTH = 16
const ALL = Object.entries(OPERATIONS) as [OperationName, Operation][]
const API = ALL.filter(([, { path }]) => path.startsWith('/api/'))

let app: TestApp
let wire: Wire
let world: World
before(async () => {
  app = await startApp()
  wire = openWire(app.url, WIDTH)
  world = await makeWorld(app.url)
})
after(async () => {
  wire.close()
  await app.close()
})

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
const CURSOR_FAULTS = [
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

/** Raw query values that a parameter must refuse, and those it must take. */
function queryTrials(schema: Schema): { refused: string[]; taken: string[] } {
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
    const many = (count: number, id: string): string => Array.from({ length: count }, () => id).join()
    return {
      refused: ['', ',', 'a,', ',a', 'a,,b', many(51, 'a'), 'x'.repeat(121), `a,${'x'.repeat(121)}`, ...TEXT_FAULTS],
      taken: ['a', 'a,a', '%20', 'a%2Cb', many(50, 'x'.repeat(120))],
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
const escaped = (value: string): string => value.replaceAll(/[^\x20-\x7e]/g, encodeURIComponent)

type QueryCase = { name: OperationName; search: string; code: ProblemCode }
function queryCases(want: 'refused' | 'taken'): QueryCase[] {
  return ALL.flatMap(([name, operation]) => {
    const { properties = {}, required = [] } = operation.query as Schema
    return Object.entries(properties).flatMap(([parameter, schema]) => {
      const others = required.filter(other => other !== parameter).map(other => `&${other}=x`)
      return queryTrials(schema)[want].map(value => ({
        name,
        search: `${parameter}=${value}${others.join('')}`,
        code: codeOf(parameter),
      }))
    })
  })
}

const sendQuery = (name: OperationName, search: string) => {
  const operation: Operation = OPERATIONS[name]
  const body = operation.body === undefined ? {} : { body: bodyOf(name, world) }
  const path = `${pathOf(operation.path, world)}?${search}`
  return wire.send(operation.method, path, { ...credentialOf(operation.access, world), ...body })
}

test('every query parameter beyond its bounds is refused, and nothing is stored', async () => {
  const cases = queryCases('refused')
  assert.ok(cases.length > 200, `${cases.length} cases`)
  await storingNothing(wire, () =>
    inParallel(cases, WIDTH, async ({ name, search, code }) =>
      expectRefusal(`${name}?${search}`, await sendQuery(name, search), 400, code),
    ),
  )
})

test('every query parameter at its bounds is taken', async () => {
  const cases = queryCases('taken')
  assert.ok(cases.length > 50, `${cases.length} cases`)
  await inParallel(cases, WIDTH, async ({ name, search }) => {
    const answer = await sendQuery(name, search)
    assert.equal(answer.status, 200, `${name}?${search}: ${answer.text}`)
    const [parameter, value] = (search.split('&')[0] ?? '').split('=')
    if (parameter === 'limit' || parameter === 'offset') {
      if (parameter in answer.body) assert.equal(answer.body[parameter], Number(decodeURIComponent(value ?? '')))
    }
  })
})

test('the query of every operation is closed and no parameter comes twice, and nothing is stored', async () => {
  await storingNothing(wire, () =>
    inParallel(API, 4, async ([name, operation]) => {
      const own = Object.keys((operation.query as Schema).properties ?? {})
      const searches = [
        'unknown=1',
        'unknown',
        '=1',
        '=',
        'Limit=1',
        '__proto__=1',
        'constructor=1',
        '%00=1',
        '%=1',
        'limit%00=1',
      ]
      const repeated = own.flatMap(parameter => [
        `${parameter}=1&${parameter}=1`,
        `${parameter}=1&${parameter}=2`,
        `${parameter}=1&%${parameter.charCodeAt(0).toString(16)}${parameter.slice(1)}=1`,
      ])
      for (const search of [...searches, ...repeated]) {
        const code = repeated.includes(search)
          ? 'REPEATED_PARAMETER'
          : search === '%=1'
            ? 'INVALID_QUERY'
            : 'UNKNOWN_PARAMETER'
        expectRefusal(`${name}?${search}`, await sendQuery(name, search), 400, code)
      }
    }),
  )
})

test('health and readiness ignore a query', async () => {
  for (const path of ['/health', '/ready']) {
    for (const search of ['x=1', 'x=1&x=2', '%', '%00', '']) {
      expectStatus(await wire.send('GET', `${path}?${search}`), 200)
    }
  }
})

/** Whether a part of a path is valid percent-encoding of UTF-8. */
function isEncoded(part: string): boolean {
  try {
    return typeof decodeURIComponent(part) === 'string'
  } catch {
    return false
  }
}

const ENTRY_FAULTS = [
  '%00',
  'a%00',
  '%ed%a0%80',
  '%ff',
  '%',
  '%2',
  '%zz',
  ...textsOf(121).map(([, text]) => encodeURIComponent(text)),
]
const ENTRY_STRANGERS = [
  'no-such',
  'No-Such',
  '..%2f',
  '%2e%2e%2f%2e%2e',
  'a%2fb',
  '%20',
  '%F0%9F%98%80',
  '%22',
  ...textsOf(120).map(([, text]) => encodeURIComponent(text)),
  ...textsOf(101).map(([, text]) => encodeURIComponent(text)),
  ...GOOD_UUIDS,
  ...BAD_UUIDS.map(encodeURIComponent),
]

/** The refusal of an unknown id that is not of an entry. */
const MISSING: Partial<Record<OperationName, string>> = {
  readRevision: 'REVISION_NOT_FOUND',
  resolveReport: 'REPORT_NOT_FOUND',
  readActor: 'ACTOR_NOT_FOUND',
  readLogRecord: 'NOT_IN_LOG',
  readLogProof: 'NOT_IN_LOG',
}

/** What is refused as a number of a record, and numbers that no record has. */
const RECORD_FAULTS = CURSOR_FAULTS.filter(value => value !== '').map(escaped)
const RECORD_STRANGERS = ['0', '00', '999999999', '9'.repeat(19)]

test('every path parameter beyond its bounds is refused, at its bounds looked up, and nothing is stored', async () => {
  await storingNothing(wire, () =>
    inParallel(ALL, 4, async ([name, operation]) => {
      const body = operation.body === undefined ? {} : { body: bodyOf(name, world) }
      const sending = { ...credentialOf(operation.access, world), ...body }
      const tell = async (parameter: string, value: string, status: number, code: string): Promise<void> => {
        const path = pathOf(operation.path, world, { [parameter]: value })
        expectRefusal(`${operation.method} ${path}`, await wire.send(operation.method, path, sending), status, code)
      }
      for (const parameter of Object.keys(operation.params)) {
        const missing = MISSING[name === 'readRevision' && parameter === 'slug' ? 'readEntry' : name]
        const isEntry = missing === undefined
        const isRecord = parameter === 'record'
        const idFaults = isRecord ? RECORD_FAULTS : BAD_UUIDS.map(encodeURIComponent)
        for (const value of isEntry ? ENTRY_FAULTS : [...idFaults, ...ENTRY_FAULTS]) {
          await tell(parameter, value, 400, isEncoded(value) ? codeOf(parameter) : 'INVALID_PATH')
        }
        const strangers = isEntry ? ENTRY_STRANGERS : isRecord ? RECORD_STRANGERS : GOOD_UUIDS
        for (const value of strangers) await tell(parameter, value, 404, missing ?? 'ENTRY_NOT_FOUND')
        await tell(parameter, '', 400, codeOf(parameter))
      }
    }),
  )
})
