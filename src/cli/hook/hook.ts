import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Entry, FoundList, PinsReport } from '../../client/resources.ts'
import { fenceOf } from '../../guide/fence.ts'
import { assertOwnSocket, socketPath } from '../../local-socket.ts'
import { plain } from '../../memory/plain.ts'
import { EXIT, type Invocation } from '../command.ts'
import { readBounded } from '../read.ts'
import { HOSTS, type Host, type Message, momentOf, textOf } from './hosts.ts'
import { masked } from './mask.ts'
import { HookFiles, type LogLine, type SessionNotes } from './record.ts'

/** The longest wait for a service, in milliseconds since the start of the process. */
const WAIT_MS = 150
const PAYLOAD_BYTES = 16 * 1_048_576
/** The end of the output that is sent, and the length of what is masked before, because a mask can make a text shorter. */
const SENT_CHARACTERS = 2_000
const MASKED_CHARACTERS = 4_000
const TOKENS = 400
const ANSWER_BYTES = 262_144
const EXPLAINED = 20
const LOCKFILE_BYTES = 262_144
const PINS_MAX = 200

/**
 * Answers one event of a host: reads its payload from standard input and writes its answer to standard output. Never fails, because a host
 * may stop its work at a hook that fails; the log says what happened.
 */
export async function runHook(invocation: Invocation): Promise<number> {
  const { env, flags, switches, stdin, stdout } = invocation
  const files = new HookFiles(env)
  try {
    if (switches.has('on') || switches.has('off')) files.turn(switches.has('on'))
    else if (switches.has('explain')) stdout.write(explained(files))
    else if (!files.isOff && env.PALIMPSEST_HOOK !== 'off') {
      const host = HOSTS.find(({ name }) => name === (flags.host ?? 'claude-code'))
      const bytes = await readBounded(stdin as AsyncIterable<Uint8Array>, PAYLOAD_BYTES)
      if (host !== undefined && bytes !== undefined) stdout.write(await answered(host, bytes, invocation, files))
    }
  } catch (error) {
    note(files, { host: flags.host ?? '', event: '', outcome: `failed: ${(error as Error).message}` })
  }
  return EXIT.ok
}

type Found = FoundList['items'][number]
type Noted = Omit<LogLine, 'at' | 'ms'>

/** A full disk or a read-only home must not make the hook fail. */
function note(files: HookFiles, line: Noted): void {
  try {
    files.log({ at: new Date().toISOString(), ...line, ms: Math.round(performance.now()) })
  } catch {
    // There is no place to report this.
  }
}

/** A home that cannot be written loses the notes, not the answer. */
function remember(files: HookFiles, host: Host, session: string, notes: SessionNotes): void {
  try {
    files.keep(host.name, session, notes)
  } catch {
    // The log has the same home.
  }
}

type Reply = Message & Pick<Noted, 'sent' | 'found' | 'outcome'>

async function answered(host: Host, bytes: Buffer, invocation: Invocation, files: HookFiles): Promise<string> {
  const payload: unknown = JSON.parse(bytes.toString('utf8'))
  const event = textOf(payload, host.paths.event)
  const session = textOf(payload, host.paths.session)
  const notes = files.notesOf(host.name, session)
  const before = JSON.stringify(notes)
  const { sent, found, outcome, ...message } = await replyTo(host, payload, notes, invocation, files)
  if (JSON.stringify(notes) !== before) remember(files, host, session, notes)
  if (outcome !== '') note(files, { host: host.name, event, ...(sent && { sent }), ...(found && { found }), outcome })
  if (message.line === undefined && message.context === undefined) return ''
  return host
    .answer(event, message)
    .map(text => `${JSON.stringify(text)}\n`)
    .join('')
}

async function replyTo(
  host: Host,
  payload: unknown,
  notes: SessionNotes,
  invocation: Invocation,
  files: HookFiles,
): Promise<Reply> {
  const moment = momentOf(host, payload)
  switch (moment.kind) {
    case 'failed':
      return onFailure(moment, notes, invocation)
    case 'succeeded':
      noteSuccess(masked(moment.command), notes)
      return { outcome: '' }
    case 'start':
      return onStart(textOf(payload, host.paths.folder), invocation)
    case 'end':
      return proposal(notes, invocation, files)
    default:
      return { outcome: moment.why }
  }
}

/** Signals of a text that must not reach a model without a request. */
const UNWANTED = 'the entry carries '

/** Asks for the entry that explains a failed command. */
async function onFailure(
  { command, text }: { command: string; text: string },
  notes: SessionNotes,
  invocation: Invocation,
): Promise<Reply> {
  const sent = masked(stripVTControlCharacters(text.slice(-MASKED_CHARACTERS)))
    .slice(-SENT_CHARACTERS)
    .trim()
  const failed = masked(command)
  notes.failure = { command: failed, text: sent, steps: [] }
  notes.solved = undefined
  if (sent === '') return { outcome: 'the command printed nothing' }
  const query = new URLSearchParams({ q: sent, limit: '1', tokens: String(TOKENS) })
  const answer = (await ask(invocation, 'GET', `/api/find?${query}`)) as FoundList | undefined
  if (answer === undefined) return { sent, outcome: 'no answer in time' }
  const [entry] = answer.items
  if (entry === undefined || !answer.answerable) return { sent, outcome: 'no entry answers it' }
  const { slug, signals, standing, objections = [] } = entry
  const silent = (why: string): Reply => ({ sent, found: slug, outcome: why })
  if (notes.seen.includes(slug)) return silent('this session has seen it')
  if (signals.length > 0) return silent(`${UNWANTED}${signals.join(', ')}`)
  // The objection is the point if the command that failed is the one that the contradicted entry recommends.
  const passage = await passageOf(entry, invocation)
  const isPoint = objections.length > 0 && command !== '' && passage.includes(command.trim())
  if (standing.state === 'CONTRADICTED' && !isPoint) return silent('it is contradicted')
  notes.seen.push(slug)
  notes.failure.shown = { slug, revisionId: entry.currentRevisionId }
  return { sent, found: slug, outcome: 'shown', ...shown(entry, passage, invocation) }
}

/** The maximum bytes of the passage: 400 tokens of 4 bytes, less the sentences around it. */
const PASSAGE_BYTES = 1_200

/** The whole text of an entry, if it fits, because the passage that has the symptom may not have the remedy. Otherwise the passage. */
async function passageOf({ slug, summary, excerpt, whole: isWhole }: Found, invocation: Invocation): Promise<string> {
  if (isWhole === true) return excerpt
  const whole = (await ask(invocation, 'GET', `/api/entries/${encodeURIComponent(slug)}`)) as Entry | undefined
  const fits = whole !== undefined && Buffer.byteLength(whole.content) <= PASSAGE_BYTES
  return fits ? whole.content : `${summary}\n\n${excerpt}`
}

/** The line for the person, and the fenced passage for the model. */
function shown(entry: Found, passage: string, { flags }: Invocation): Message {
  const { slug, title, standing, objections = [] } = entry
  const { for: supported, against } = standing
  const standingIn = [
    supported > 0 ? `supported by ${supported}` : 'not confirmed yet',
    ...(against > 0 ? [`contradicted by ${against}`] : []),
  ].join(', ')
  const lines = [
    JSON.stringify({ slug: plain(slug), title: plain(title), standing: standing.state, supported, against }),
    plain(passage),
    ...objections.map(({ rationale }) => `Against: ${plain(rationale)}`),
  ]
  const by = flags['data-dir'] === undefined ? 'strangers' : 'earlier sessions'
  const fenced = fenceOf(randomBytes(12).toString('hex'), by, lines)
  return {
    line: `Palimpsest: 1 entry, ${standingIn} (${plain(slug)})`,
    context: `Palimpsest has an entry that may explain this failure (${standingIn}).\n${fenced}`,
  }
}

const programOf = (command: string): string => command.trim().split(/\s+/, 2).join(' ')

/** A success of the program that failed before closes the failure. Other commands in between are steps of its remedy. */
function noteSuccess(command: string, notes: SessionNotes): void {
  const { failure } = notes
  if (failure === undefined || command === '') return
  if (programOf(command) === programOf(failure.command)) {
    notes.solved = { ...failure, steps: command === failure.command ? failure.steps : [...failure.steps, command] }
    notes.failure = undefined
  } else failure.steps.push(command)
}

/** At the end of a turn in which a failure was followed by success: proposes what to report, and sends nothing. */
function proposal(notes: SessionNotes, { flags }: Invocation, files: HookFiles): Reply {
  const { solved } = notes
  if (solved === undefined) return { outcome: '' }
  notes.solved = undefined
  const to = flags['data-dir'] === undefined ? ` --url ${flags.url ?? ''}` : ` --data-dir ${flags['data-dir']}`
  if (solved.shown !== undefined) {
    const { slug, revisionId } = solved.shown
    const command = `palimpsest verify ${slug} --revision ${revisionId} --result SUPPORTED --confidence 0.8 --rationale "It fixed the failure."${to}`
    return { found: slug, outcome: 'proposed', line: `Palimpsest: if ${slug} helped, report it: ${command}` }
  }
  // A success without a change between is no remedy.
  if (solved.steps.length === 0) return { outcome: '' }
  const file = files.draft(draftOf(solved))
  return {
    outcome: 'proposed',
    line: `Palimpsest: a draft of what solved this is in ${file}; edit it, then run: palimpsest publish ${file}${to}`,
  }
}

const CAUSE_CHARACTERS = 120

function draftOf({ command, text, steps }: NonNullable<SessionNotes['solved']>): string {
  const lines = text.split('\n').map(line => line.trim())
  const cause =
    lines.find(line => /error|fail|cannot|not found|denied/i.test(line)) ?? lines.find(line => line !== '') ?? ''
  const title = `${programOf(command)}: ${cause}`.slice(0, CAUSE_CHARACTERS)
  const indented = (block: readonly string[]): string => block.map(line => `    ${line}`).join('\n')
  return [
    `---\nsummary: ${JSON.stringify(`What fixed "${cause.slice(0, CAUSE_CHARACTERS)}".`)}\n---\n`,
    `# ${title}\n`,
    `Symptom: \`${command}\` fails with\n\n${indented(lines.slice(-20))}\n`,
    `Cause: ${cause}\n`,
    `Remedy: these commands came before the success.\n\n${indented(steps)}\n`,
  ].join('\n')
}

/** At the start of a session: the findings of an audit, if the folder has a lockfile of this service. */
async function onStart(folder: string, invocation: Invocation): Promise<Reply> {
  const file = join(folder, 'palimpsest.lock')
  const found = folder === '' ? undefined : statSync(file, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || found.size > LOCKFILE_BYTES) return { outcome: '' }
  const { parseLockfile } = await import('../people/lock.ts')
  const { service, sequence, pins } = parseLockfile(readFileSync(file, 'utf8'), file)
  // A lockfile comes with a repository, and may name any service.
  if (service !== invocation.flags.url?.replace(/\/+$/, '')) return { outcome: 'the lockfile names another service' }
  const asked = pins.slice(0, PINS_MAX).map(({ slug, revisionId }) => ({ slug, revisionId }))
  const report = (await ask(invocation, 'POST', '/api/pins/check', { since: sequence, pins: asked })) as
    | PinsReport
    | undefined
  if (report === undefined) return { outcome: 'no answer in time' }
  if (report.items.length === 0) return { outcome: 'no findings' }
  const findings = report.items.map(({ kind, entry }) => `${kind} ${entry}`)
  const count = `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} about palimpsest.lock`
  return {
    outcome: 'shown',
    line: `Palimpsest: ${count}; run "palimpsest audit"`,
    context: `Palimpsest: ${count}. Run "palimpsest audit" before you rely on these entries:\n${findings.map(plain).join('\n')}`,
  }
}

/** Asks the service or the owner of the directory. Returns undefined for no answer in time, and for a refusal. */
function ask(invocation: Invocation, method: string, path: string, body?: object): Promise<unknown> {
  const { flags } = invocation
  const url = flags['data-dir'] === undefined ? new URL(flags.url ?? 'http://127.0.0.1:8080') : undefined
  const module = process.getBuiltinModule(url?.protocol === 'https:' ? 'node:https' : 'node:http')
  const target =
    url === undefined
      ? { socketPath: socketPath(flags['data-dir'] ?? ''), path, headers: { host: 'localhost' } }
      : { hostname: url.hostname, port: url.port, path: `${url.pathname.replace(/\/+$/, '')}${path}`, headers: {} }
  const headers = {
    ...target.headers,
    accept: 'application/json',
    'user-agent': 'palimpsest hook',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  if (url === undefined) assertOwnSocket(socketPath(flags['data-dir'] ?? ''))
  const wait = Number(flags.wait ?? WAIT_MS) - performance.now()
  if (!(wait > 0)) return Promise.resolve(undefined)
  return new Promise(resolve => {
    const request = module.request({ ...target, headers, method, agent: false }, answer => {
      readBounded(answer, ANSWER_BYTES).then(
        bytes => resolve(answer.statusCode === 200 && bytes !== undefined ? JSON.parse(bytes.toString()) : undefined),
        () => resolve(undefined),
      )
    })
    const timer = setTimeout(() => request.destroy(), wait)
    request
      .on('error', () => resolve(undefined))
      .on('close', () => {
        clearTimeout(timer)
        resolve(undefined)
      })
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** The last events of the log: what was sent, found and suppressed. */
function explained(files: HookFiles): string {
  const lines = files.last(EXPLAINED).map(({ at, host, event, sent, found, outcome, ms }) => {
    const head = `${at}  ${host} ${event}  ${outcome}${found === undefined ? '' : ` (${found})`}, ${ms} ms`
    return sent === undefined
      ? head
      : `${head}\n${sent
          .split('\n')
          .map(line => `  │ ${line}`)
          .join('\n')}`
  })
  const state = files.isOff ? 'The hook is off; "palimpsest hook --on" turns it on.' : 'The hook is on.'
  return `${plain([state, ...lines].join('\n'))}\n`
}
