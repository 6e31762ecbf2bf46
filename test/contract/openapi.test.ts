import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { mediaOf, NAMED_INPUTS, OPERATIONS, type Operation, takesMinSequence } from '../../src/contract/operations.ts'
import type { ProblemCode } from '../../src/contract/problem.ts'
import { PROBLEMS, problemsOf } from '../../src/contract/problems.ts'
import { NAMED_RESOURCES } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { answerOf, checkOf, codesOf, type Document, resolved, rowsOf, withParts } from './document.ts'

let published: Document
let document: Document
const app = shareApp({}, async () => {
  published = expectStatus(await call<Document>(app.url, 'GET', '/openapi.json'), 200)
  document = withParts(published)
})

/** Without shared parts it was 7,200. */
const BYTES_PER_OPERATION = 4_000
const OPERATION_ENTRIES = Object.entries(OPERATIONS) as [string, Operation][]

test('the document is valid OpenAPI 3.1 of version 0.1.0', async () => {
  assert.match(document.openapi, /^3\.1\./)
  assert.equal(document.info.version, '0.1.0')
  const { valid, errors } = await new Validator().validate(structuredClone(published) as never)
  assert.ok(valid, JSON.stringify(errors))
  const { length } = JSON.stringify(published)
  assert.ok(length <= BYTES_PER_OPERATION * rowsOf(published).length, `${length} characters`)
  const broken = { ...structuredClone(published), info: { title: 'No version' } }
  assert.equal((await new Validator().validate(broken as never)).valid, false)
})

test('every operation is described once, and nothing else', () => {
  const described = rowsOf(document).map(({ method, path, operation }) => `${operation.operationId} ${method} ${path}`)
  const promised = OPERATION_ENTRIES.map(([name, { method, path }]) => `${name} ${method} ${path}`)
  assert.deepEqual(described.toSorted(), promised.toSorted())
  assert.ok(promised.length >= 44)
})

test('an operation is described as in the table', () => {
  for (const { path, operation } of rowsOf(document)) {
    const row: Operation | undefined = OPERATIONS[operation.operationId as keyof typeof OPERATIONS]
    const query = Object.keys((row.query as unknown as { properties: object }).properties)
    const parameters = [
      ...Object.keys(row.params).map(name => `path ${name}`),
      ...query.map(name => `query ${name}`),
      ...Object.keys(row.headers ?? {}).map(name => `header ${name}`),
      ...(takesMinSequence(row) ? ['header Min-Sequence'] : []),
      ...(row.kind === 'write' ? ['header Idempotency-Key'] : []),
    ]
    assert.deepEqual(
      operation.parameters.map(({ in: where, name }) => `${where} ${name}`),
      parameters,
    )
    assert.deepEqual(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      Object.keys(row.params),
    )
    const needed = (row.query as unknown as { required?: string[] }).required ?? []
    for (const { in: where, name, required } of operation.parameters) {
      assert.equal(required, where === 'path' || needed.includes(name))
    }
    assert.deepEqual(
      operation.requestBody?.content['application/json']?.schema,
      row.body === undefined ? undefined : { $ref: `#/components/schemas/${row.body}` },
    )
    assert.deepEqual(Object.keys(operation.responses[row.status]?.content ?? {}), [mediaOf(row)])
    assert.deepEqual(answerOf(operation, row.status)?.schema, { $ref: `#/components/schemas/${row.response}` })
    const schemes = operation.security.map(scheme => Object.keys(scheme).join())
    const wanted =
      row.access === 'actor'
        ? ['ActorToken']
        : row.access === 'admin'
          ? ['AdminToken']
          : row.cost === 'free'
            ? ['']
            : ['', 'ActorToken']
    assert.deepEqual(schemes, wanted, operation.operationId)
  }
})

test('every named schema exists and is the one that is checked', () => {
  const named = { ...NAMED_INPUTS, ...NAMED_RESOURCES }
  const shared = [
    'Uuid',
    'DataClass',
    'NextCursor',
    'Signals',
    'State',
    'ContentTrust',
    'IdentityTrust',
    'Causality',
    'Sources',
    'ObservedOn',
    'Observed',
    'Rationale',
  ]
  assert.deepEqual(Object.keys(document.components.schemas).toSorted(), [...Object.keys(named), ...shared].toSorted())
  for (const [name, schema] of Object.entries(named)) {
    const plain = JSON.parse(JSON.stringify(schema)) as unknown
    assert.deepEqual(resolved(document, document.components.schemas[name]), plain, name)
  }
})

test('every example fits its schema', () => {
  let examples = 0
  const prove = (label: string, schema: unknown, value: unknown): void => {
    const check = checkOf(document, schema)
    assert.ok(check.fits(value), `${label}: ${check.faults(value)}`)
    examples += 1
  }
  for (const { operation } of rowsOf(document)) {
    for (const parameter of operation.parameters) {
      if (parameter.required || parameter.example !== undefined)
        prove(`${operation.operationId} ${parameter.name}`, parameter.schema, parameter.example)
    }
    const media = [
      ...Object.values(operation.requestBody?.content ?? {}),
      ...Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content)),
    ]
    for (const { schema, example, examples: several = {} } of media) {
      const values = example === undefined ? Object.values(several).map(({ value }) => value) : [example]
      assert.ok(values.length > 0, `${operation.operationId} has a body without an example`)
      for (const value of values) prove(operation.operationId, schema, value)
    }
  }
  assert.ok(examples > 200, `${examples} examples`)
})

test('every problem of an operation is described in the response of its status, and every code somewhere', () => {
  const described = new Set<string>()
  for (const { operation } of rowsOf(document)) {
    const codes = problemsOf(OPERATIONS[operation.operationId as keyof typeof OPERATIONS])
    const seen: string[] = []
    for (const status of Object.keys(operation.responses)) {
      for (const code of codesOf(operation, Number(status)) as ProblemCode[]) {
        assert.equal(PROBLEMS[code].status, Number(status), `${operation.operationId} ${code}`)
        assert.equal(operation.responses[status]?.['x-problems']?.[code], PROBLEMS[code].remedy)
        seen.push(code)
      }
      if (status === '429' || status === '503') assert.ok(operation.responses[status]?.headers?.['Retry-After'])
    }
    assert.deepEqual(seen.toSorted(), codes.toSorted(), operation.operationId)
    for (const code of codes) described.add(code)
  }
  assert.deepEqual([...described].toSorted(), Object.keys(PROBLEMS).toSorted())
})
