import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pick, seeded } from '../numbers.ts'

/** A message of a program, with `{}` for each name or number that the program puts in. */
type Message = { source: string; language: string; code: string; template: string }
type Random = () => number

/** An entry that an earlier session wrote about a message: symptom, cause and remedy. `fix` is the command of the remedy. */
export type Lesson = { title: string; summary: string; content: string; tags: string[]; fix: string }
/** What one command prints. A session of a known message has the place of its lesson. */
export type Session = {
  kind: 'known' | 'foreign' | 'success'
  source: string
  output: string
  line: string
  lesson?: number
}
/** The sessions of one half of the messages. */
export type Half = { name: 'open' | 'closed'; lessons: Lesson[]; sessions: Session[] }

/** In each half: messages with an entry, messages without one, and commands that succeed. */
const KNOWN = 250
const SUCCESSES = 150

/** Odd lines are the half that may be read when a rule is changed; even lines are the closed half. */
export function halves(): Half[] {
  const lines = readFileSync(join(import.meta.dirname, 'messages.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
  const messages = lines.map(line => {
    const [source = '', language = '', code = '', template = ''] = line.split('\t')
    return { source, language, code, template }
  })
  return (['open', 'closed'] as const).map((name, half) =>
    halfOf(
      name,
      messages.filter((_, at) => at % 2 === half),
      seeded(511 + half),
    ),
  )
}

function halfOf(name: Half['name'], messages: readonly Message[], random: Random): Half {
  const known = messages.slice(0, KNOWN)
  const lessons = known.map(message => lessonOf(message, random))
  const sessions = messages.map((message, at): Session => {
    const line = filled(message.template, random)
    const output = terminal(message, line, random)
    const { source } = message
    return at < KNOWN ? { kind: 'known', source, output, line, lesson: at } : { kind: 'foreign', source, output, line }
  })
  for (let count = 0; count < SUCCESSES; count += 1) {
    const message = pick(random, messages)
    const line = filled(message.template, random)
    sessions.push({ kind: 'success', source: message.source, line, output: succeeding(message, line, random) })
  }
  return { name, lessons, sessions }
}

const NAMES =
  'orders customer_id parseConfig UserProfile invoice_2024 total items createSession payload readings Basket shipment_id loadFeed sensor_7 AccountService renderChart retryCount api_keys TaskQueue weeklyReport price_list openSocket metricsView CartLine tenant stock_levels uploadPart EventBus geo_index fetchUser'.split(
    ' ',
  )
const FOLDERS = 'src lib app server packages/core tools internal services/billing web/components jobs'.split(' ')
const PEOPLE = 'ann kofi mei jorge priya lars'.split(' ')
const PROJECTS = 'shop ledger fieldnotes atlas courier greenhouse'.split(' ')

const number = (random: Random, most: number): number => 1 + Math.floor(random() * most)
const chance = (random: Random, share: number): boolean => random() < share
const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1))

/** A message with names and numbers put in. */
const filled = (template: string, random: Random): string =>
  template.replaceAll('{}', () => (chance(random, 0.8) ? pick(random, NAMES) : String(number(random, 4_000))))

const PROGRAMS: Record<string, readonly string[]> = {
  typescript: ['npx tsc -p .', 'npm run build', 'npm run typecheck'],
  node: ['node server.js', 'npm start', 'npm test'],
  npm: ['npm install', 'npm ci', 'npm publish'],
  postgresql: ['psql -f migration.sql', 'npm run migrate', 'pytest tests/db'],
  rust: ['cargo build', 'cargo test'],
  python: ['python3 main.py', 'pytest -q', 'python3 -m jobs.nightly'],
}
const commandOf = ({ source }: Message, random: Random): string => pick(random, PROGRAMS[source] ?? ['make'])

const CAUSES = [
  'An earlier change renamed something, and this place still used the old name.',
  'The generated files were older than their sources.',
  'Two versions of one dependency were installed, and the wrong one was loaded.',
  'The setting is read before the file that defines it.',
  'A default changed with the last upgrade, and the project relied on the former one.',
  'The step ran in another order on this machine than in the pipeline.',
  'A helper passed its arguments in the wrong order.',
  'The value comes from the environment, and was empty there.',
]
const SUMMARIES = [
  'What stopped the build, and the command that repairs it.',
  'Seen after an upgrade; one command repairs it.',
  'The cause is a stale copy; regenerate it.',
  'Happens on a fresh checkout; the remedy takes a minute.',
]

/** The entry about a message. It names other things than the session that meets the message later. */
function lessonOf(message: Message, random: Random): Lesson {
  const { source, code, language } = message
  const line = filled(message.template, random)
  const fix = `./tools/${pick(random, ['repair', 'refresh', 'reset', 'realign'])}-${Math.floor(random() * 36 ** 5)
    .toString(36)
    .padStart(5, '0')}.sh`
  const head = code === '' ? (chance(random, 0.5) ? `${source}: ` : '') : `${code}: `
  return {
    title: `${head}${line}`.slice(0, 140),
    summary: pick(random, SUMMARIES),
    content: [
      `Symptom: \`${commandOf(message, random)}\` ends with\n\n    ${printed(message, line, random)}\n`,
      `Cause: ${pick(random, CAUSES)}\n`,
      `Remedy: run \`${fix}\`, then the same command again.`,
    ].join('\n'),
    tags: language === 'en' ? [source] : [source, language],
    fix,
  }
}

const SEVERITY: Record<string, string> = { de: 'FEHLER', fr: 'ERREUR', ru: 'ОШИБКА' }
const fileIn = (random: Random, extension: string): string =>
  `${pick(random, FOLDERS)}/${pick(random, NAMES).toLowerCase()}.${extension}`
const home = (random: Random): string => `/${'home'}/${pick(random, PEOPLE)}/${pick(random, PROJECTS)}`

/** The line in which a program prints the message. */
function printed({ source, language, code }: Message, line: string, random: Random): string {
  const at = `${between(random, 2, 400)}`
  if (source === 'typescript') return `${fileIn(random, 'ts')}(${at},${number(random, 60)}): error ${code}: ${line}`
  if (source === 'node') return `${pick(random, ['TypeError', 'Error', 'RangeError'])} [${code}]: ${line}`
  if (source === 'npm') return `npm error code ${code}\nnpm error ${line}`
  if (source === 'postgresql') {
    if (language === 'en' && chance(random, 0.3))
      return `psycopg2.errors.${pick(random, ['DatabaseError', 'ProgrammingError'])}: ${line}`
    return `psql:${fileIn(random, 'sql')}:${at}: ${SEVERITY[language] ?? 'ERROR'}:  ${line}`
  }
  if (source === 'rust') return `error[${code}]: ${line}`
  return `${pick(random, ['TypeError', 'ValueError', 'RuntimeError'])}: ${line}`
}

/** What follows the message, as each program prints it. */
function trailer({ source }: Message, random: Random): string {
  const at = between(random, 2, 400)
  const frames = (count: number, one: () => string): string => Array.from({ length: count }, one).join('\n')
  const node = () =>
    `    at ${pick(random, NAMES)} (${chance(random, 0.5) ? `${home(random)}/${fileIn(random, 'js')}` : `node:internal/modules/${pick(random, ['cjs/loader', 'esm/resolve', 'run_main'])}`}:${number(random, 900)}:${number(random, 40)})`
  if (source === 'typescript')
    return `\n${at}   const ${pick(random, NAMES)} = ${pick(random, NAMES)}(${pick(random, NAMES)})\n${' '.repeat(12)}~~~~~~~~\n\nFound ${number(random, 3)} error${chance(random, 0.5) ? 's' : ''} in ${fileIn(random, 'ts')}:${at}\n`
  if (source === 'node')
    return `${frames(between(random, 3, 14), node)} {\n  code: 'ERR'\n}\n\nNode.js v24.${number(random, 20)}.0`.replace(
      / \{\n {2}code: 'ERR'\n\}/,
      '',
    )
  if (source === 'npm')
    return `npm error A complete log of this run can be found in: ${home(random)}/.npm/_logs/2026-03-0${number(random, 9)}T08_12_44_${number(random, 900)}Z-debug-0.log`
  if (source === 'postgresql')
    return chance(random, 0.4)
      ? `LINE ${number(random, 90)}: SELECT ${pick(random, NAMES)} FROM ${pick(random, NAMES)} WHERE ${pick(random, NAMES)} = $1\n${' '.repeat(between(random, 8, 30))}^`
      : frames(between(random, 0, 8), node)
  if (source === 'rust')
    return `  --> ${fileIn(random, 'rs')}:${at}:9\n   |\n${at} |     let ${pick(random, NAMES).toLowerCase()} = ${pick(random, NAMES).toLowerCase()};\n   |         ^^^^^^^\n\nFor more information about this error, try \`rustc --explain\`.\nerror: could not compile \`${pick(random, PROJECTS)}\` (bin "${pick(random, PROJECTS)}") due to 1 previous error; ${number(random, 9)} warnings emitted`
  return ''
}

/** What a Python program prints before its message. */
const traceback = (random: Random): string =>
  `Traceback (most recent call last):\n${Array.from({ length: between(random, 1, 9) }, () => `  File "${home(random)}/${fileIn(random, 'py')}", line ${number(random, 300)}, in ${pick(random, NAMES).toLowerCase()}\n    ${pick(random, NAMES)}(${pick(random, NAMES)}, ${number(random, 9)})`).join('\n')}\n`

/** Lines that terminals have beside a message. */
const NOISE: readonly ((random: Random) => string)[] = [
  random =>
    `> ${pick(random, PROJECTS)}@1.${number(random, 30)}.${number(random, 9)} ${pick(random, ['build', 'test', 'migrate'])}`,
  random =>
    `\u001b[90m${between(random, 10, 23)}:${between(random, 10, 59)}:${between(random, 10, 59)}\u001b[0m \u001b[32m✓\u001b[0m ${fileIn(random, 'test.ts')} \u001b[2m(${number(random, 30)} tests)\u001b[22m ${number(random, 900)}ms`,
  random =>
    `ok ${number(random, 300)} - ${pick(random, NAMES)} ${pick(random, ['rejects an empty list', 'keeps the order', 'handles a missing file', 'retries after a timeout'])}`,
  random =>
    `(node:${between(random, 1_000, 90_000)}) [DEP0040] DeprecationWarning: The \`punycode\` module is deprecated. Please use a userland alternative instead.\n(Use \`node --trace-deprecation ...\` to show where the warning was created)`,
  random => `npm warn deprecated inflight@1.0.${number(random, 6)}: This module is not supported, and leaks memory.`,
  random =>
    `added ${between(random, 20, 900)} packages, and audited ${between(random, 900, 1_800)} packages in ${number(random, 40)}s`,
  random =>
    `\u001b[1m\u001b[32m   Compiling\u001b[0m ${pick(random, NAMES).toLowerCase()} v0.${number(random, 30)}.${number(random, 9)}`,
  random => `[${number(random, 80)}/120] ${pick(random, ['Building', 'Linking', 'Fetching'])} ${fileIn(random, 'o')}`,
  random =>
    `\u001b[33mwarning\u001b[0m: unused variable: \`${pick(random, NAMES).toLowerCase()}\`\n  --> ${fileIn(random, 'rs')}:${number(random, 200)}:9`,
  random =>
    `2026-03-${between(random, 10, 28)}T08:${between(random, 10, 59)}:12.${between(random, 100, 999)}Z INFO  ${pick(random, NAMES)} connected to 10.3.${number(random, 200)}.${number(random, 200)}:5432 as ${pick(random, PEOPLE)}`,
  random => `NOTICE:  relation "${pick(random, NAMES)}" already exists, skipping`,
  random =>
    `\r\u001b[K\u001b[36m⠹\u001b[39m reify:${pick(random, NAMES)}: timing reifyNode Completed in ${number(random, 900)}ms`,
  random => `  ${'.'.repeat(between(random, 10, 60))} [${number(random, 99)}%]`,
  random => `${pick(random, PEOPLE)}@build-${number(random, 9)}:~/${pick(random, PROJECTS)}$ git status --short`,
]
const AFTER: readonly ((random: Random) => string)[] = [
  random =>
    `make: *** [Makefile:${number(random, 90)}: ${pick(random, ['build', 'check', 'migrate'])}] Error ${number(random, 2)}`,
  () => ' ELIFECYCLE  Command failed with exit code 2.',
  random =>
    `error Command failed with exit code 1.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n${pick(random, PEOPLE)}@build-2:~$`,
  random =>
    `\u001b[31m1 failed\u001b[39m, ${between(random, 10, 300)} passed in ${number(random, 60)}.${number(random, 9)}s`,
  random =>
    `npm error Lifecycle script \`build\` failed with error:\nnpm error code 2\nnpm error path ${home(random)}\nnpm error workspace ${pick(random, PROJECTS)}@1.0.0`,
]
const noise = (random: Random, most: number): string[] =>
  Array.from({ length: Math.floor(random() ** 2 * (most + 1)) }, () => pick(random, NOISE)(random))

/** The output of a command that fails with a message. */
function terminal(message: Message, line: string, random: Random): string {
  const isRed = chance(random, 0.4)
  const shown = printed(message, line, random).replace(/\b(error|ERROR|FEHLER|ERREUR|\w+Error)\b/, word =>
    isRed ? `\u001b[31m${word}\u001b[39m` : word,
  )
  const before = message.source === 'python' || shown.startsWith('psycopg2') ? traceback(random) : ''
  return [
    ...(chance(random, 0.5) ? [`$ ${commandOf(message, random)}`] : []),
    ...noise(random, 40),
    `${before}${shown}`,
    trailer(message, random),
    ...noise(random, 3),
    ...(chance(random, 0.5) ? [pick(random, AFTER)(random)] : []),
  ].join('\n')
}

/** The output of a command that succeeds, although it prints an error: of a test that expects it, in a log, or in a search for it. */
function succeeding(message: Message, line: string, random: Random): string {
  const shown = printed(message, line, random)
  const about = pick(random, [
    `ok ${number(random, 90)} - fails with "${shown}"`,
    `docs/problems.md:${number(random, 200)}: ${shown}`,
    `${shown}\nretrying in 2 s … done`,
    `0 errors, ${number(random, 9)} warnings`,
  ])
  return [...noise(random, 20), about, ...noise(random, 6), 'Done in 3.1s.'].join('\n')
}
