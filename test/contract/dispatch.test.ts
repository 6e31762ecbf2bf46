import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc')
const rowOf = (kind: string, method: string, body = ''): string =>
  `  do_${kind}: ${kind === 'write' ? 'write' : 'read'}({ kind: '${kind}', method: '${method}', path: '/api/${kind}', tag: 'Service', summary: '', access: 'anyone',
    cost: 'read', params: none, query: queries.NoQuery, ${body} status: 200, response: 'Health', problems: [] }),\n`

/** The errors of the compiler about the operations and their dispatch, with more rows in the contract. */
function compiled(directory: string, rows: string): string {
  const contract = join(directory, 'src/contract/operations.ts')
  const text = readFileSync(join(ROOT, 'src/contract/operations.ts'), 'utf8')
  const end = text.indexOf('} as const satisfies Record<string, Operation>')
  assert.ok(end > 0)
  writeFileSync(contract, text.slice(0, end) + rows + text.slice(end))
  const { stdout } = spawnSync(process.execPath, [COMPILER, '--noEmit', '-p', directory], { encoding: 'utf8' })
  return stdout
}

test('a row of the contract compiles only with a function of its kind, which reads only what the row has', t => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-test-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  cpSync(join(ROOT, 'src'), join(directory, 'src'), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions,
      files: ['src/memory/run.ts', 'src/http/serve.ts'],
    }),
  )
  const rows = [
    ...[rowOf('read', 'GET'), rowOf('stream', 'GET'), rowOf('write', 'POST', "body: 'ReportInput',")],
    rowOf('other', 'GET'),
  ]
  const batch = join(directory, 'src/memory/entries/read.ts')
  writeFileSync(batch, readFileSync(batch, 'utf8').replace('query.ids', 'query.addresses'))
  const said = compiled(directory, rows.join(''))
  assert.match(said, /src\/memory\/run\.ts.*'do_read' is missing/)
  assert.match(said, /src\/memory\/run\.ts.*'do_stream' is missing/)
  assert.match(said, /src\/memory\/run\.ts.*'do_write' is missing/)
  assert.match(said, /src\/memory\/entries\/read\.ts.*'addresses' does not exist/)
  assert.match(said, /src\/contract\/operations\.ts.*'"other"' is not assignable/)
})
