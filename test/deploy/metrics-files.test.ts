import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { PROBLEMS } from '../../src/contract/problems.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectProblem, newActor, newEntry } from '../support/client.ts'
import { someWitness } from '../support/log-files.ts'
import { makeDirectory } from '../support/process.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

type Dashboard = { panels: { id: number; title: string; targets: { expr: string }[] }[] }
const rules = read('deploy/prometheus.rules.yml')
const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as Dashboard
const metricsPage = /^## Metrics$.*?(?=^## )/ms.exec(read('docs/operating.md'))?.[0] ?? ''
const EXPRESSIONS = {
  'prometheus.rules.yml': [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression),
  'grafana-dashboard.json': panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  'operating.md': [...metricsPage.matchAll(/`([^`\n]*\bpalimpsest_[^`\n]*)`/g)].map(([, text = '']) => text),
}

let app: TestApp
let exposed: Set<string>
let directory: ReturnType<typeof makeDirectory>
before(async () => {
  directory = makeDirectory()
  const policy = join(directory.path, 'policy')
  writeFileSync(policy, `witness one ${someWitness('one.example').vkey}\nquorum one\n`)
  app = await startApp({ METRICS_PORT: '0', LOG_WITNESSES: policy })
  const { slug } = await newEntry(app.url, (await newActor(app.url)).token)
  await call(app.url, 'GET', `/api/entries/${slug}`)
  expectProblem(await call(app.url, 'GET', '/nothing-here'), 404, 'ROUTE_NOT_FOUND')
  const { text } = await call((app.metricsUrl ?? '').replace(/\/metrics$/, ''), 'GET', '/metrics')
  exposed = new Set([...text.matchAll(/^([a-z][\w:]*)(?:\{| )/gm)].map(([, name = '']) => name))
})
after(async () => {
  await app?.close()
  directory.remove()
})

for (const [file, expressions] of Object.entries(EXPRESSIONS)) {
  test(`every metric that ${file} names is exposed by a running service`, () => {
    assert.ok(expressions.length > 10, `${expressions.length} expressions`)
    for (const expression of expressions) {
      const names = expression.match(/\b(?:palimpsest|nodejs|process)_[a-z\d_]+/g) ?? []
      assert.ok(names.length > 0, expression)
      for (const name of names) assert.ok(exposed.has(name), `${name} of ${expression}`)
    }
  })

  test(`every operation and problem that ${file} names exists`, () => {
    for (const expression of expressions) {
      for (const [, label, values = ''] of expression.matchAll(/(code|operation)=~?"([^"]*)"/g)) {
        const known = label === 'code' ? PROBLEMS : OPERATIONS
        for (const value of values.split(/\\?\|/)) assert.ok(value in known, `${label} ${value}`)
      }
    }
  })
}

test('every alert has a name, an expression, a severity and a summary, and every panel a place of its own', () => {
  const alerts = rules.split(/^ +- alert: /m).slice(1)
  assert.equal(alerts.length, EXPRESSIONS['prometheus.rules.yml'].length)
  for (const alert of alerts) {
    assert.match(
      alert,
      /^Palimpsest[A-Z]\w+\n +expr: .+\n(?: +for: \d+[mhd]\n)? +labels: \{ severity: (?:page|ticket) \}\n/,
    )
    assert.match(alert, /^ +annotations: \{ summary: '[^'\n]+' \}$/m)
  }
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
})
