import { join } from 'node:path'
import {
  type ActorInput,
  type Client,
  type ClientError,
  type ClientSettings,
  type Clock,
  createClient,
  isClientError,
} from '../../client/index.ts'
import { parseServiceUrl } from '../../client/request.ts'
import { firstFault } from '../../contract/check.ts'
import { ruleOf } from '../../contract/member-problems.ts'
import { NAMED_INPUTS } from '../../contract/operations.ts'
import { ACTOR_TYPES } from '../../contract/vocabulary.ts'
import { isCleanText } from '../../memory/values.ts'
import { OperatorError } from '../../operator-error.ts'
import { CommandError, EXIT, type Invocation, mistake, UsageError } from '../command.ts'
import { parsedJson, readIfExists } from '../read.ts'
import { type Credential, configDirectory, credentialFile, keepCredential, readCredential } from './credentials.ts'
import { DEFAULT_URL, oneOf } from './flags.ts'
import { actorName } from './names.ts'
import { Output, styled } from './output.ts'

/** The maximum accepted Retry-After, in seconds. */
const WAIT_MAX = 60
/** Shorter waits are not announced, in milliseconds. */
const SAID_FROM = 1_000

/** A command line with one service. */
export type Session = AsyncDisposable & {
  invocation: Invocation
  baseUrl: string
  /** The service or the directory, for people. */
  place: string
  /** The address of an entry, for people. */
  addressOf(slug: string): string
  client: Client
  out: Output
  json: boolean
  /** The stored actor for the service, if there is one; undefined if PALIMPSEST_TOKEN replaces it. */
  kept: Credential | undefined
  /** Ensures an actor for writes: that of PALIMPSEST_TOKEN, the stored one, or a new one. Call it before the first write. */
  becomeActor(): Promise<void>
}

/** Runs a command with the service of its flags, the environment or the configuration. Returns the exit code. */
export async function inSession(invocation: Invocation, work: (session: Session) => Promise<void>): Promise<number> {
  await using session = await openSession(invocation)
  try {
    await work(session)
    await session.out.taken()
    return EXIT.ok
  } catch (error) {
    if (isClientError(error)) throw refusalOf(error, tokenHint(session))
    throw error
  }
}

/** Where the requests of a session go. */
type SessionTarget = Pick<Session, 'baseUrl' | 'place' | 'addressOf' | typeof Symbol.asyncDispose> & {
  /** The settings of the client that depend on the target. */
  reached: Pick<ClientSettings, 'baseUrl' | 'fetch'>
}

function serviceOf(invocation: Invocation): SessionTarget {
  const baseUrl = baseUrlOf(invocation)
  const addressOf = (slug: string): string => `${baseUrl}/entries/${slug}`
  return { baseUrl, place: baseUrl, addressOf, reached: { baseUrl }, [Symbol.asyncDispose]: async () => {} }
}

/** The store in a directory, which this process opens unless another one has. The actor is stored under the path of the directory. */
async function directoryOf({ flags, env, stderr }: Invocation, named: string): Promise<SessionTarget> {
  if (flags.url !== undefined) throw new UsageError('--url and --data-dir exclude each other.')
  const [{ joinLocalMemory }, { LOCAL_URL }, { findDataDirectory, storeFile }, { pino }] = await Promise.all([
    import('../../local-memory.ts'),
    import('../../local-socket.ts'),
    import('../../stores/embedded/directory.ts'),
    import('pino'),
  ])
  const place = findDataDirectory(named, storeFile)
  const onBroken = ({ message }: Error): void => void stderr.write(`${message}\n`)
  const memory = await joinLocalMemory(place, { env, onBroken, log: async () => pino({ level: 'silent' }) })
  return {
    baseUrl: `${LOCAL_URL}${encodeURI(place)}`,
    place,
    addressOf: slug => `palimpsest show ${slug} --data-dir ${place}`,
    reached: { baseUrl: LOCAL_URL, fetch: memory.fetch },
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  }
}

async function openSession(invocation: Invocation): Promise<Session> {
  const { env, switches, flags } = invocation
  const target =
    flags['data-dir'] === undefined ? serviceOf(invocation) : await directoryOf(invocation, flags['data-dir'])
  const { reached, ...shown } = target
  const { baseUrl } = shown
  const out = new Output(invocation)
  const own = env.PALIMPSEST_TOKEN === '' ? undefined : env.PALIMPSEST_TOKEN
  const kept = own === undefined ? readCredential(env, baseUrl) : undefined
  const clock = sayingClock(invocation.clock ?? MACHINE_CLOCK, out)
  const clientFor = (token: string | undefined): Client => {
    const retries = switches.has('no-wait') ? 0 : 3
    return createClient({ ...reached, token, clock, retries, maxWaitSeconds: WAIT_MAX })
  }
  if (own !== undefined && !/^[!-~]{1,200}$/.test(own)) {
    throw new UsageError('PALIMPSEST_TOKEN is not a valid actor token; unset it to use the stored one.')
  }
  const session: Session = {
    invocation,
    ...shown,
    client: clientFor(own ?? kept?.token),
    out,
    json: switches.has('json'),
    kept,
    async becomeActor() {
      const input = declared(invocation)
      if (session.client.token() !== undefined) return sayUnused(session, input)
      const issue = () => session.client.createActor(input)
      const { credential, made } = await keepCredential(env, baseUrl, issue)
      session.kept = credential
      session.client = clientFor(credential.token)
      if (made)
        out.note(
          `You write as a new actor, ${actorName(credential.actor)}; its token is in ${credentialFile(env, baseUrl)}.`,
        )
    },
  }
  return session
}

/** Announces a wait, requested by the service or after a missing answer, then waits. */
const sayingClock = (clock: Clock, out: Output): Clock => ({
  now: () => clock.now(),
  sleep(milliseconds, signal) {
    if (milliseconds >= SAID_FROM)
      out.note(`The service could not answer yet: trying again in ${Math.ceil(milliseconds / 1_000)} s.`)
    return clock.sleep(milliseconds, signal)
  },
})

const MACHINE_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    const { setTimeout } = await import('node:timers/promises')
    await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal })
  },
}

const tokenHint = ({ kept, invocation: { env } }: Session): string =>
  kept === undefined
    ? 'It is in PALIMPSEST_TOKEN: correct or unset that variable.'
    : `It is stored in ${credentialFile(env, kept.baseUrl)}; remove that file to create a new actor.`

/** The address of the service, as its origin and path. The original text is never printed, because it may contain a password. */
export function baseUrlOf({ env, flags }: Invocation): string {
  const given = [
    { where: '--url', text: flags.url },
    { where: 'PALIMPSEST_URL', text: env.PALIMPSEST_URL === '' ? undefined : env.PALIMPSEST_URL },
    { where: '"url" in config.json', text: configured(env) },
  ]
  for (const { where, text } of given) {
    if (text === undefined) continue
    const baseUrl = parseServiceUrl(text)
    if (baseUrl !== undefined) return baseUrl
    throw new UsageError(`${where} must be an http or https address without user, query or fragment.`)
  }
  return DEFAULT_URL
}

function configured(env: NodeJS.ProcessEnv): string | undefined {
  const file = join(configDirectory(env), 'config.json')
  const text = readIfExists(file, 'correct or remove it')
  if (text === undefined) return undefined
  const url = (parsedJson(text) as { url?: unknown } | null | undefined)?.url
  if (typeof url !== 'string') throw new OperatorError(`${file} must be {"url": "http://…"}; correct or remove it.`)
  return url
}

function declared(invocation: Invocation): ActorInput {
  const { flags } = invocation
  const type = flags['actor-type']
  return checkInput<ActorInput>(invocation, 'ActorInput', {
    ...(type === undefined ? {} : { actorType: oneOf('--actor-type', type, ACTOR_TYPES) }),
    ...(flags['declared-name'] === undefined ? {} : { declaredName: flags['declared-name'] }),
    ...(flags['declared-model'] === undefined ? {} : { declaredModel: flags['declared-model'] }),
    ...(flags['declared-provider'] === undefined ? {} : { declaredProvider: flags['declared-provider'] }),
  })
}

/** The declaration of an actor cannot be changed. */
function sayUnused({ kept, out }: Session, input: ActorInput): void {
  if (Object.keys(input).length === 0) return
  const { name, model, provider } = kept?.actor.declared ?? {}
  const wanted = [input.declaredName, input.declaredModel, input.declaredProvider, input.actorType]
  const there = [name, model, provider, kept?.actor.actorType]
  if (wanted.every((value, index) => value === undefined || value === there[index])) return
  out.note('There is an actor already, and its declaration cannot be changed; see "palimpsest whoami".')
}

const CODES: Readonly<Record<number, number>> = {
  401: EXIT.refused,
  403: EXIT.refused,
  404: EXIT.notFound,
  409: EXIT.conflict,
  410: EXIT.notFound,
  429: EXIT.refused,
  502: EXIT.noAnswer,
  503: EXIT.noAnswer,
  504: EXIT.noAnswer,
}

/** The code for a request that is already in progress. It does not mean that another writer has committed a revision. */
const PASSING = 'REQUEST_IN_PROGRESS'

/** A refusal of the service or a failed connection, as a sentence with code, remedy and request id, and with its exit code. */
export function refusalOf(error: ClientError, tokenHint: string): CommandError {
  const { status, retryAfterSeconds, code } = error
  const byStatus =
    status === null ? (code === 'NO_ANSWER' ? EXIT.noAnswer : EXIT.failed) : (CODES[status] ?? EXIT.failed)
  const exitCode = code === PASSING ? EXIT.noAnswer : byStatus
  const wait = retryAfterSeconds === null ? '' : ` Retry-After is ${retryAfterSeconds} s.`
  const hint = code === 'ACTOR_TOKEN_INVALID' ? ` ${tokenHint}` : ''
  return new CommandError(`${error.message}${wait}${hint}`, exitCode)
}

/** The function of a command in a session. */
export type Work = (session: Session) => Promise<void>

/** Shows the stored actor. Sends no request and does not show the token. */
export async function whoami({ invocation, baseUrl, place, kept, client, out, json }: Session): Promise<void> {
  if (kept === undefined) {
    const why =
      client.token() === undefined
        ? `There is no actor for ${place} yet; the first write creates one.`
        : 'PALIMPSEST_TOKEN is set. The service does not reveal its actor.'
    throw new CommandError(why, client.token() === undefined ? EXIT.notFound : EXIT.failed)
  }
  if (json) return out.json(kept.actor)
  const { id, actorType, declared } = kept.actor
  out.line(styled('bold', actorName(kept.actor)), ` at ${place}`)
  out.line(`  id ${id}`)
  const said = Object.entries(declared).filter(([, value]) => value !== null)
  out.line(`  ${actorType}, declared ${said.map(([name, value]) => `${name} "${value}"`).join(', ') || 'nothing more'}`)
  out.line(`  token in ${credentialFile(invocation.env, baseUrl)}`)
}

/** Checks a body against the contract before a write is charged. The error names the typed flag, or the member of the file, and the rule. */
export function checkInput<T>({ flags }: Invocation, schema: keyof typeof NAMED_INPUTS, body: Partial<T>): T {
  const fault = firstFault(NAMED_INPUTS[schema], body)
  if (fault !== undefined) {
    const [member = ''] = fault.path
    const flag = flagOf(member)
    const name = flags[flag] === undefined ? fault.path.join('.') || 'The draft' : `--${flag}`
    if (fault.kind === 'missing') throw mistake(`${name} is missing.`)
    if (fault.kind === 'unknown') throw mistake(`The draft has the member ${name}, which drafts do not have.`)
    const { [member]: rule } = NAMED_INPUTS[schema].properties as Record<string, object>
    throw mistake(`${name} is invalid: ${member} is ${ruleOf(rule ?? {})}.`)
  }
  if (!isCleanText(body)) throw mistake('A text contains U+0000 or a lone surrogate; remove it.')
  return body as T
}

/** The flag of a member: changeType is --change-type. */
const flagOf = (member: string): string => member.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
