import type { Client } from '../client/index.ts'
import { isClientError } from '../client/index.ts'
import type { ActorInput, ActorIssued } from '../client/resources.ts'
import { refusalOf } from './refusal.ts'
import type { Context, Said } from './tool.ts'
import { toolboxFor } from './toolbox.ts'
import { newActor, type Place } from './wording.ts'

/** The dependencies of calls of tools. */
export type Session = Place &
  Pick<Context, 'forget'> & {
    /** A client of the service that sends the token, if there is one, with every request. */
    clientFor(token: string | undefined): Client
    /** The token of calls without an actorToken. */
    token(): string | undefined
    /** Receives the token of an actor that was created for a call. */
    issued?(token: string): void
    /** Receives unexpected errors. */
    onFault(error: unknown): void
  }

export type Performed = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, string>
  isError?: boolean
}

const textOf = (...texts: readonly string[]): Performed['content'] => texts.map(text => ({ type: 'text', text }))
const refused = (...texts: readonly string[]): Performed => ({ content: textOf(...texts), isError: true })

/** Performs one call; undefined if the tool does not exist. Never rejects: a failure is an answer with its remedy. */
export async function perform(session: Session, name: string, args: unknown): Promise<Performed | undefined> {
  const known = toolboxFor(session).byName.get(name)
  if (known === undefined) return undefined
  const { tool, check } = known
  const checked = check(args)
  if ('fault' in checked) return refused(checked.fault)
  const { actorToken, actor, ...input } = checked.args as { actorToken?: string; actor?: ActorInput }
  let issued: ActorIssued | undefined
  try {
    let token = actorToken ?? session.token()
    if (token === undefined && tool.performs.includes('createActor')) {
      issued = await session.clientFor(undefined).createActor(actor ?? { actorType: 'AGENT' })
      token = issued.token
      session.issued?.(token)
    }
    const { shared, forget } = session
    const context: Context = { client: session.clientFor(token), shared, ...(forget === undefined ? {} : { forget }) }
    return answered(session, await tool.run(context, input as never), issued)
  } catch (error) {
    if (!isClientError(error)) session.onFault(error)
    // The actor exists even if the write is refused, and its token is shown only once.
    return refused(refusalOf(error, name, session), ...actorLines(session, issued))
  }
}

const actorLines = (place: Place, issued: ActorIssued | undefined): string[] =>
  issued === undefined ? [] : [newActor(place, issued.actor.id, issued.token)]

function answered(place: Place, { text, structured, failed }: Said, issued: ActorIssued | undefined): Performed {
  const content = textOf(text, ...actorLines(place, issued))
  if (failed === true) return { content, isError: true }
  if (structured === undefined) return { content }
  const token = issued === undefined || place.keepsToken ? {} : { actorToken: issued.token }
  return { content, structuredContent: { ...structured, ...token } }
}
