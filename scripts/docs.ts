import { readFileSync } from 'node:fs'
import { latestChart, withFigures } from '../bench/report.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { commandHelp, helpText } from '../src/cli/help.ts'
import { flagOf, SETTINGS } from '../src/config.ts'
import { EXAMPLES } from '../src/contract/examples.ts'
import { GENERAL_PROBLEMS } from '../src/contract/general-problems.ts'
import { IDEMPOTENCY_HOURS, MIN_SEQUENCE } from '../src/contract/limits.ts'
import { MEMBER_PROBLEMS } from '../src/contract/member-problems.ts'
import { NAMED_INPUTS, OPERATIONS, type Operation } from '../src/contract/operations.ts'
import { ownProblems } from '../src/contract/problems.ts'
import { thirdParty } from './dependencies.ts'
import { layersPicture } from './layers-picture.ts'

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

/** The documents generated from the code, by path. */
export const GENERATED_DOCS: Record<string, () => string> = {
  'THIRD-PARTY.md': thirdParty,
  'docs/configuration.md': configuration,
  'docs/problems.md': problems,
  'docs/api.md': api,
  'docs/commands.md': commands,
  'docs/performance.md': () => withFigures(readFileSync(new URL('../docs/performance.md', import.meta.url), 'utf8')),
  'docs/performance.svg': latestChart,
  'docs/layers.svg': layersPicture,
}

function configuration(): string {
  const rows = Object.values(SETTINGS).map(setting => {
    const flag = flagOf(setting)
    const ways = flag === undefined ? `\`${setting.name}_FILE\` names a file that contains it` : `\`--${flag}\``
    const byDefault =
      setting.byDefault === undefined ? 'unset' : setting.byDefault === '' ? 'empty' : `\`${setting.byDefault}\``
    return `| \`${setting.name}\` | ${ways} | ${byDefault} | ${setting.description} |`
  })
  return `${MADE}
# Configuration

Every setting is an environment variable, and most are flags too:

\`\`\`sh
LOG_LEVEL=debug palimpsest serve --port 9000
\`\`\`

A flag takes precedence over its variable. Secrets have no flag, because other users of a machine can read its command lines.

With an invalid value the service does not start and creates no file, and a sentence names the setting:

\`\`\`
PORT must be a whole number from 0 to 65535, not "x".
\`\`\`

| setting | or | default | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}

function problems(): string {
  const rows = Object.entries(GENERAL_PROBLEMS).map(
    ([code, { status, remedy }]) => `| \`${code}\` | ${status} | ${remedy} |`,
  )
  const members = Object.entries(MEMBER_PROBLEMS).map(([code, { remedy }]) => `| \`${code}\` | ${remedy} |`)
  return `${MADE}
# Problems

Every error has a code, and this page lists the remedy for each. For example (some headers are left out):

\`\`\`sh
curl -si 'http://127.0.0.1:8080/api/search?q=tea&limit=0'
\`\`\`

\`\`\`
HTTP/1.1 400 Bad Request
x-request-id: dd38daab-6edb-49ba-adba-cd9b9fc18685
link: </docs/errors#INVALID_LIMIT>; rel="help"; member="limit"

{"error":{"code":"INVALID_LIMIT","requestId":"dd38daab-6edb-49ba-adba-cd9b9fc18685"}}
\`\`\`

The body has no other members. The operator can find the \`requestId\` in the log of the service.

\`Link\` leads to the rule on the page \`/docs/errors\` of the service. Its \`member\`, for example \`tags.1\`, names the wrong member, parameter or nested member.

429 and 503 carry \`Retry-After\` in whole seconds.

The service checks a request in this order, and reports the first problem: route 404; limit 429; token 401; path, query and Idempotency-Key 400; type 415; size 413; JSON and schema 400; a key in use 409, or used for another request 422; blocked 403; cooldown 429; entry 404, 410, locked 403; then 409 and 422.

| code | status | what to do |
|---|---|---|
${rows.join('\n')}

## Members and parameters

A member, parameter or part of the path that breaks its rule gets 400 with a code of its own. The code of a nested member has its innermost name. Unknown members are reported first, then missing ones, then those that break their rule.

| code | the rule |
|---|---|
${members.join('\n')}
`
}

function commands(): string {
  const helps = COMMANDS.map(command => `## ${command.name}\n\n\`\`\`\n${commandHelp(command)}\`\`\``)
  return `${MADE}
# Command line

This page lists every command, with its help text. In a checkout, write \`node bin/palimpsest.js\` for \`palimpsest\`; any Node can start it, because it finds the installed one.

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

This page lists every operation of the service, with its parameters, an example of its body, and its problems. The machine-readable form, with the schemas of all responses, is \`/openapi.json\`. For example:

\`\`\`sh
curl -s http://127.0.0.1:8080/api/actors -H 'content-type: application/json' -d '{"actorType":"AGENT","declaredName":"Careful reader"}'
\`\`\`

returns an actor and the token that it writes with.

Bodies are JSON. An unknown member is refused. Lengths are Unicode code points.

Every POST may carry an \`Idempotency-Key\`, a fresh random UUID for each request. Within ${IDEMPOTENCY_HOURS} hours the same request with the same key gets the first response again, with \`Idempotency-Replayed: true\`, and changes nothing ([decision 14](decisions/0014-idempotency.md)).

The response to a write has its \`Sequence\`. Send it as \`Min-Sequence\` with a read that must include the write, at any node or [mirror](mirrors.md): the service waits up to ${MIN_SEQUENCE.seconds} seconds until its store has that sequence, then refuses with 503 \`NOT_READY\`.

${chapters.join('\n')}`
}

const NEEDS = {
  anyone: 'no token',
  actor: 'an actor token in `X-Actor-Token`',
  admin: 'the admin token as `Authorization: Bearer`',
}

function chapter(name: string, operation: Operation): string {
  const { method, path, summary, access, cost, status, response, body, media } = operation
  const streamed = media === undefined ? '' : ` as \`${media}\``
  const query = (operation.query as unknown as Schema).properties ?? {}
  const parts = [
    `## ${method} ${path}`,
    `\`${name}\`: ${summary} Needs ${NEEDS[access]}. ${cost === 'free' ? 'Not charged' : `Charged as a ${cost}`}. Returns ${status} \`${response}\`${streamed}.`,
  ]
  if (Object.keys(query).length > 0) parts.push(table('query', query, []))
  if (body !== undefined) {
    const schema = NAMED_INPUTS[body] as unknown as Schema
    const members = schema.properties ?? {}
    if (Object.keys(members).length > 0) parts.push(table('member', members, schema.required ?? []))
    parts.push(`\`\`\`json\n${JSON.stringify(EXAMPLES[body], null, 2)}\n\`\`\``)
  }
  const own = ownProblems(operation)
    .map(code => `\`${code}\``)
    .join(', ')
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
  if (schema.type === 'array') return `list of at most ${schema.maxItems}: ${shape(schema.items ?? {})}`
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
