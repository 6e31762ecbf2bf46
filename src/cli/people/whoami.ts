import { CommandError, EXIT } from '../command.ts'
import { credentialFile } from './credentials.ts'
import { actorName } from './names.ts'
import { styled } from './output.ts'
import type { Session } from './session.ts'

/** Shows the actor that writes from here. The service is not asked, and the token is not shown. */
export async function whoami({ invocation, baseUrl, kept, client, out, json }: Session): Promise<void> {
  if (kept === undefined) {
    const why =
      client.token() === undefined
        ? `There is no actor for ${baseUrl} here yet: the first write makes one.`
        : 'PALIMPSEST_TOKEN is set, and the service does not say whose token that is.'
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
