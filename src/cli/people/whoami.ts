import { CommandError, EXIT } from '../command.ts'
import { credentialFile } from './credentials.ts'
import { actorName } from './names.ts'
import { styled } from './output.ts'
import type { Session } from './session.ts'

/** Shows the stored actor. Sends no request and does not show the token. */
export async function whoami({ invocation, baseUrl, kept, client, out, json }: Session): Promise<void> {
  if (kept === undefined) {
    const why =
      client.token() === undefined
        ? `There is no actor for ${baseUrl} yet; the first write creates one.`
        : 'PALIMPSEST_TOKEN is set. The service does not reveal its actor.'
    throw new CommandError(why, client.token() === undefined ? EXIT.notFound : EXIT.failed)
  }
  if (json) return out.json(kept.actor)
  const { id, actorType, declared } = kept.actor
  out.line(styled('bold', actorName(kept.actor)), ` at ${baseUrl}`)
  out.line(`  id ${id}`)
  const said = Object.entries(declared).filter(([, value]) => value !== null)
  out.line(`  ${actorType}, declared ${said.map(([name, value]) => `${name} "${value}"`).join(', ') || 'nothing more'}`)
  out.line(`  token in ${credentialFile(invocation.env, baseUrl)}`)
}
