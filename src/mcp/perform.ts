import type { Client } from '../client/index.ts'
import { isClientError } from '../client/index.ts'
import type { ActorInput, ActorIssued } from '../client/resources.ts'
import { refusalOf } from './refusal.ts'
import { createCheck, type Said, writes } from './tool.ts'
import { TOOLS } from './tools.ts'

/** What calls of tools work on. */
export type Session = {
  /** A client of the service that carries the token, if there is one, with every request. */
  clientFor(token: string | undefined): Client
  /** The token that calls carry when they name none. */
  token(): string | undefined
  /** Told of the actor that was made for a call. */
  issued?(token: string): void
  /** Whether strangers write what is read. */
  shared: boolean
  /** Told of errors that nobody foresaw. */
  onFault(error: unknown): void
}

export type Performed = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, string>
  isError?: boolean
}

const CHECKS = new Map(TOOLS.map(tool => [tool.name, { tool, check: createCheck(tool) }]))

const textOf = (...texts: readonly string[]): Performed['content'] => texts.map(text => ({ type: 'text', text }))
const refused = (...texts: readonly string[]): Performed => ({ content: textOf(...texts), isError: true })

const keep = ({ actor, token }: ActorIssued): string =>
  `A new actor ${actor.id} was made for you. Its token is ${token} and is not shown again: keep it secret and pass it as actorToken with every further write, so that your work stays together.`

/** Performs one call; undefined where there is no such tool. Never rejects: what fails is an answer that says what to do next. */
export async function perform(session: Session, name: string, args: unknown): Promise<Performed | undefined> {
  const known = CHECKS.get(name)
  if (known === undefined) return undefined
  const { tool, check } = known
  const fault = check(args)
  if (fault !== undefined) return refused(fault)
  const { actorToken, actor, ...input } = args as { actorToken?: string; actor?: ActorInput }
  let told: ActorIssued | undefined
  try {
    let token = actorToken ?? session.token()
    if (token === undefined && writes(tool)) {
      told = await session.clientFor(undefined).createActor(actor ?? { actorType: 'AGENT' })
      token = told.token
      session.issued?.(token)
    }
    return answered(await tool.run(session.clientFor(token), input as never), told)
  } catch (error) {
    if (!isClientError(error)) session.onFault(error)
    // The actor is there whatever became of the write, and its token is told this once.
    return refused(refusalOf(error, name), ...(told === undefined ? [] : [keep(told)]))
  }
}

function answered({ text, structured }: Said, told: ActorIssued | undefined): Performed {
  const content = told === undefined ? textOf(text) : textOf(text, keep(told))
  if (structured === undefined) return { content }
  return { content, structuredContent: { ...structured, ...(told === undefined ? {} : { actorToken: told.token }) } }
}
