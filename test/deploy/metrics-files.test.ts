import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { openApp } from '../../src/app.ts'
import { ScheduledBackups } from '../../src/cli/stores/scheduled.ts'
import { readConfig } from '../../src/config.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { PROBLEMS } from '../../src/contract/problems.ts'
import { MirrorLag } from '../../src/mirror/lag.ts'
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

const SILENT = pino({ level: 'silent' })
let app: TestApp
let exposed: Set<string>
let problemsAtStart: Map<string, number>
let directory: ReturnType<typeof makeDirectory>
before(async () => {
  directory = makeDirectory()
  const policy = join(directory.path, 'policy')
  writeFileSync(policy, `witness one ${someWitness('one.example').vkey}\nquorum one\n`)
  app = await startApp({ METRICS_PORT: '0', TLOG_WITNESSES: policy })
  const scrape = async (address = ''): Promise<string> =>
    (await call(address.replace(/\/metrics$/, ''), 'GET', '/metrics')).text
  const samples = (await scrape(app.metricsUrl)).matchAll(/^palimpsest_problems_total\{code="(\w+)"\} (\d+)$/gm)
  problemsAtStart = new Map([...samples].map(([, code = '', value]) => [code, Number(value)]))
  const { slug } = await newEntry(app.url, (await newActor(app.url)).token)
  await call(app.url, 'GET', `/api/entries/${slug}`)
  expectProblem(await call(app.url, 'GET', '/nothing-here'), 404, 'ROUTE_NOT_FOUND')
  // A mirror that follows its original has metrics of its own.
  const settings = { PORT: '0', METRICS_PORT: '0', DATA_DIR: join(directory.path, 'mirror') }
  const backups = new ScheduledBackups({ ...readConfig(settings), backupDir: join(directory.path, 'backups') }, SILENT)
  const mirror = await openApp(readConfig(settings), { logger: SILENT, lag: new MirrorLag(300), backups })
  const text = `${await scrape(app.metricsUrl)}${await scrape(mirror.metricsUrl)}`
  await mirror.close()
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
      assert.ok(names.length > 0 || /\bup\{/.test(expression), expression)
      for (const name of names) assert.ok(exposed.has(name), `${name} of ${expression}`)
    }
  })

  test(`every operation and problem that ${file} names exists`, () => {
    for (const expression of expressions) {
      for (const [, label, values = ''] of expression.matchAll(/(code|operation)=~?"([^"]*)"/g)) {
        const known = label === 'code' ? PROBLEMS : OPERATIONS
        for (const value of values.split(/\\?\|/)) {
          assert.ok(value in known, `${label} ${value}`)
          // A rate needs an earlier value, so an alert on a counter that appears with its first fault does not fire.
          if (label === 'code') assert.equal(problemsAtStart.get(value), 0, value)
        }
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
