import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { codeOf } from '../../src/contract/member-problems.ts'
import { OPERATIONS, type Operation, type OperationName } from '../../src/contract/operations.ts'
import type { ProblemCode } from '../../src/contract/problem.ts'
import { shareApp } from '../support/app.ts'
import { expectStatus } from '../support/client.ts'
import { BAD_UUIDS, GOOD_UUIDS, type Schema, textsOf } from './cases.ts'
import { CURSOR_FAULTS, escaped, queryTrials } from './query-trials.ts'
import { inParallel, openWire, type Wire } from './wire.ts'
import { bodyOf, credentialOf, expectRefusal, makeWorld, pathOf, storingNothing, type World } from './world.ts'

const WIDTH = 16
const ALL = Object.entries(OPERATIONS) as [OperationName, Operation][]
const API = ALL.filter(([, { path }]) => path.startsWith('/api/'))

let wire: Wire
let world: World
const app = shareApp({}, async () => {
  wire = openWire(app.url, WIDTH)
  world = await makeWorld(app.url)
})
after(() => wire.close())

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

const sendQuery = (name: OperationName, search: string, method: string = OPERATIONS[name].method) => {
  const operation: Operation = OPERATIONS[name]
  const body = operation.body === undefined ? {} : { body: bodyOf(name, world) }
  const path = `${pathOf(operation.path, world)}?${search}`
  return wire.send(method, path, { ...credentialOf(operation.access, world), ...body })
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

test('every query parameter at its bounds is accepted', async () => {
  const cases = queryCases('taken')
  assert.ok(cases.length > 50, `${cases.length} cases`)
  await inParallel(cases, WIDTH, async ({ name, search }) => {
    // So many streams at once would be too many.
    const answer = await sendQuery(name, search, OPERATIONS[name].kind === 'stream' ? 'HEAD' : undefined)
    // A stream with an unknown filter and an overview of an unknown revision are refused.
    const missing =
      (name === 'streamChanges' && /^(?:entry|actor)=/.test(search)) ||
      (name === 'readOverview' && /^revisionId=./.test(search))
    assert.equal(answer.status, missing ? 404 : 200, `${name}?${search}: ${answer.text}`)
    const [parameter, value] = (search.split('&')[0] ?? '').split('=')
    if (parameter === 'limit' || parameter === 'offset') {
      if (parameter in answer.body) assert.equal(answer.body[parameter], Number(decodeURIComponent(value ?? '')))
    }
  })
})

test('an unknown or repeated query parameter is refused by every operation, and nothing is stored', async () => {
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
  readReport: 'REPORT_NOT_FOUND',
  readActor: 'ACTOR_NOT_FOUND',
  readLogRecord: 'NOT_IN_LOG',
  readLogProof: 'NOT_IN_LOG',
}

/** Values that are refused as record numbers, and numbers without a record. */
const RECORD_FAULTS = CURSOR_FAULTS.filter(value => value !== '').map(escaped)
const RECORD_STRANGERS = ['0', '00', '999999999', '9'.repeat(19)]

test('every path parameter past its bounds is refused, at its bounds looked up, and nothing is stored', async () => {
  await storingNothing(wire, () =>
    inParallel(ALL, 4, async ([name, operation]) => {
      const body = operation.body === undefined ? {} : { body: bodyOf(name, world) }
      const sending = { ...credentialOf(operation.access, world), ...body }
      const expectCode = async (parameter: string, value: string, status: number, code: string): Promise<void> => {
        const search = 'required' in operation.query ? '?q=words' : ''
        const path = `${pathOf(operation.path, world, { [parameter]: value })}${search}`
        expectRefusal(`${operation.method} ${path}`, await wire.send(operation.method, path, sending), status, code)
      }
      for (const parameter of Object.keys(operation.params)) {
        const missing = MISSING[name === 'readRevision' && parameter === 'slug' ? 'readEntry' : name]
        const isSequence = parameter === 'sequence'
        const isEntry = missing === undefined
        const isRecord = parameter === 'record'
        const idFaults = isRecord ? RECORD_FAULTS : BAD_UUIDS.map(encodeURIComponent)
        const faults = isSequence ? RECORD_FAULTS : isEntry ? [] : idFaults
        for (const value of [...faults, ...ENTRY_FAULTS]) {
          await expectCode(parameter, value, 400, isEncoded(value) ? codeOf(parameter) : 'INVALID_PATH')
        }
        const strangers = isSequence
          ? RECORD_STRANGERS.slice(2)
          : isRecord
            ? RECORD_STRANGERS
            : isEntry
              ? ENTRY_STRANGERS
              : GOOD_UUIDS
        const refusal = isSequence ? 'SEQUENCE_NOT_REACHED' : (missing ?? 'ENTRY_NOT_FOUND')
        for (const value of strangers) await expectCode(parameter, value, 404, refusal)
        await expectCode(parameter, '', 400, codeOf(parameter))
      }
    }),
  )
})
