import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'

const USAGE = `Usage: npm run test:one -- FILE [--engine embedded|postgres] [--name PATTERN]

FILE           a test: *.test.ts, *.browser.ts or *.long.ts
--engine NAME  the store that it runs on where it does not choose one itself; embedded by default
--name PATTERN runs only the tests whose names match this regular expression
`
const ENGINES = ['embedded', 'postgres']
const MINUTE = 60_000
/** Time limit of a test of each kind, in milliseconds. */
const LIMITS: Record<string, number> = { test: 5 * MINUTE, browser: 2 * MINUTE, long: 30 * MINUTE }

type Run = { file: string; engine: string; name: string | undefined; limit: number }

function runOf(args: string[]): Run | undefined {
  try {
    const options = { engine: { type: 'string' }, name: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [file = '', ...others] = positionals
    const engine = values.engine ?? 'embedded'
    const limit = LIMITS[/\.(test|browser|long)\.ts$/.exec(file)?.[1] ?? '']
    if (limit === undefined || others.length > 0 || !existsSync(file) || !ENGINES.includes(engine)) return undefined
    return { file, engine, name: values.name, limit }
  } catch {
    return undefined
  }
}

const run = runOf(process.argv.slice(2))
if (run === undefined) {
  process.stderr.write(USAGE)
  process.exit(2)
}
const flags = [
  '--test',
  // A handle that a failed test left open would keep the process running.
  '--test-force-exit',
  `--test-timeout=${run.limit}`,
  '--test-global-setup=test/support/global-setup.ts',
  ...(run.name === undefined ? [] : [`--test-name-pattern=${run.name}`]),
]
const child = spawn(process.execPath, [...flags, run.file], {
  stdio: 'inherit',
  env: { ...process.env, TEST_ENGINE: run.engine },
})
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 1
  if (signal !== null) process.stderr.write(`The test ended by ${signal}.\n`)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
