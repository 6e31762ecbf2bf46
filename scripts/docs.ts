import { readFileSync } from 'node:fs'
import { latestChart, withFigures } from '../bench/report.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { commandHelp, helpText } from '../src/cli/help.ts'
import { flagOf, SETTINGS } from '../src/config.ts'
import { EXAMPLES } from '../src/contract/examples.ts'
import { GENERAL_PROBLEMS } from '../src/contract/general-problems.ts'
import { RETRY_HOURS } from '../src/contract/limits.ts'
import { MEMBER_PROBLEMS } from '../src/contract/member-problems.ts'
import { NAMED_INPUTS, OPERATIONS, type Operation } from '../src/contract/operations.ts'
import { clientResources, clientTable } from './client-source.ts'

const MADE = '<!-- Made from the code by `npm run docs`; do not edit. -->'

type Schema = {
  type?: string
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  default?: unknown
}

/** The documents made from the code, by path. */
export const GENERATED_DOCS: Record<string, () => string> = {
  'docs/configuration.md': configuration,
  'docs/problems.md': problems,
  'docs/api.md': api,
  'docs/commands.md': commands,
  'docs/performance.md': () => withFigures(readFileSync(new URL('../docs/performance.md', import.meta.url), 'utf8')),
  'docs/performance.svg': latestChart,
  'src/client/resources.ts': clientResources,
  'src/client/table.ts': clientTable,
}

function configuration(): string {
  const rows = Object.values(SETTINGS).map(setting => {
    const flag = flagOf(setting)
    const ways = flag === undefined ? `\`${setting.name}_FILE\` names a file that holds it` : `\`--${flag}\``
    const byDefault =
      setting.byDefault === undefined ? 'unset' : setting.byDefault === '' ? 'empty' : `\`${setting.byDefault}\``
    return `| \`${setting.name}\` | ${ways} | ${byDefault} | ${setting.description} |`
  })
  return `${MADE}
# Configuration

Settings are environment variables; the command line overrides them, but for secrets, which have no flag because a command line is public on its machine.
A wrong value stops the start with a sentence that names it.

| setting | or | default | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}

function problems(): string {
  const rows = Object.entries(GENERAL_PROBLEMS).map(
    ([code, { status, mend }]) => `| \`${code}\` | ${status} | ${mend} |`,
  )
  const members = Object.entries(MEMBER_PROBLEMS).map(([code, { mend }]) => `| \`${code}\` | ${mend} |`)
  return `${MADE}
# Problems

Every error has the body \`{"error":{"code","requestId"}}\` and nothing else; the \`requestId\`, also in \`X-Request-Id\`, finds the line in the log.
Every error carries \`Link: </docs/errors#CODE>; rel="help"\`, which leads to the rule on the page \`/docs/errors\` of the service; \`member="tags.1"\` in it names the member, parameter or nested member that is wrong.
429 and 503 carry \`Retry-After\` in whole seconds. Checks come in this order: route 404, limit 429, token 401, path, query and Idempotency-Key 400,
type 415, size 413, JSON and schema 400, a key under way 409 or of another request 422, blocked 403, cooldown 429, entry 404, 410 and lock 403, 409, 422.

| code | status | what to do |
|---|---|---|
${rows.join('\n')}

## Members and parameters

A member, parameter or part of the path that does not fit is 400 with a code of its own. Of a nested member the innermost name counts. Unknown members are reported before missing ones, and those before members that do not fit.

| code | the rule |
|---|---|
${members.join('\n')}
`
}

function commands(): string {
  const helps = COMMANDS.map(command => `## ${command.name}\n\n\`\`\`\n${commandHelp(command)}\`\`\``)
  return `${MADE}
# Command line

In a checkout it is called as \`node bin/palimpsest.js <command>\`, with any Node: it finds the right one by itself.

\`\`\`
${helpText()}\`\`\`

${helps.join('\n\n')}
`
}

function api(): string {
  const chapters = (Object.entries(OPERATIONS) as [string, Operation][]).map(([name, operation]) =>
    chapter(name, operation),
  )
  return `${MADE}
# Interface

The machine-readable form is \`/openapi.json\`. Bodies are JSON and closed: an unknown member is refused. Lengths are Unicode code points.

Every POST may carry an \`Idempotency-Key\`, a fresh random UUID for each request: within ${RETRY_HOURS} hours the same request with the same key gets the first answer again, with \`Idempotency-Replayed: true\`, and changes nothing.
[Why it is so](decisions/0014-idempotency.md).

${chapters.join('\n')}`
}

const NEEDS = {
  anyone: 'nothing',
  actor: 'an actor token in `X-Actor-Token`',
  admin: 'the admin token as `Authorization: Bearer`',
}

function chapter(name: string, operation: Operation): string {
  const { method, path, summary, access, cost, status, response, body, media } = operation
  const streamed = media === undefined ? '' : ` as \`${media}\``
  const query = (operation.query as unknown as Schema).properties ?? {}
  const parts = [
    `## ${method} ${path}`,
    `\`${name}\`: ${summary} Needs ${NEEDS[access]}; charged as ${cost === 'free' ? 'nothing' : `a ${cost}`}. Answers ${status} \`${response}\`${streamed}.`,
  ]
  if (Object.keys(query).length > 0) parts.push(table('query', query, []))
  if (body !== undefined) {
    const schema = NAMED_INPUTS[body] as unknown as Schema
    const members = schema.properties ?? {}
    if (Object.keys(members).length > 0) parts.push(table('member', members, schema.required ?? []))
    parts.push(`\`\`\`json\n${JSON.stringify(EXAMPLES[body], null, 2)}\n\`\`\``)
  }
  const own = operation.problems.map(code => `\`${code}\``).join(', ')
  parts.push(`Problems: ${own === '' ? '' : `${own}, and `}those of [every request](problems.md).`)
  return `${parts.join('\n\n')}\n`
}

function table(what: string, members: Record<string, Schema>, required: readonly string[]): string {
  const rows = Object.entries(members).map(
    ([name, schema]) =>
      `| \`${name}\`${required.includes(name) ? ' (required)' : ''} | ${shape(schema)} | ${schema.description ?? ''} |`,
  )
  return `| ${what} | shape | meaning |\n|---|---|---|\n${rows.join('\n')}`
}

function shape(schema: Schema): string {
  if (schema.enum !== undefined) return `${schema.enum.join(', ')}${defaultOf(schema)}`
  if (schema.type === 'array') return `at most ${schema.maxItems} of: ${shape(schema.items ?? {})}`
  if (schema.type === 'object') return `{${Object.keys(schema.properties ?? {}).join(', ')}}`
  if (schema.format === 'uuid') return 'uuid'
  if (schema.type === 'string') {
    const most =
      schema.maxLength === undefined ? '1 to 19 digits' : `${schema.minLength ?? 0} to ${schema.maxLength} characters`
    return `string, ${most}`
  }
  return `${schema.type}, ${schema.minimum} to ${schema.maximum}${defaultOf(schema)}`
}

const defaultOf = (schema: Schema): string =>
  schema.default === undefined ? '' : `; default ${String(schema.default)}`
