import { CommandError, EXIT, type Invocation, UsageError } from '../command.ts'
import { atServiceOf, type Lockfile, lockfileName, parseLockfile, readLockText } from './lockfile.ts'
import { checkPins, type Finding, findAltered, writeFindings } from './pins.ts'
import { inSession, type Session } from './session.ts'
import { plural } from './values.ts'

/** Reports the findings about the pins of a lockfile. Exit code 1 means only findings. */
export async function audit(invocation: Invocation): Promise<number> {
  const file = lockfileName(invocation)
  const text = readLockText(file)
  if (text === undefined) throw new UsageError(`There is no ${file}; "palimpsest lock SLUG" creates it.`)
  const lockfile = parseLockfile(text, file)
  let findings = 0
  try {
    await inSession(await atServiceOf(invocation, lockfile), async session => {
      findings = await report(session, lockfile)
    })
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== EXIT.failed) throw error
    throw new CommandError(error.message, EXIT.noAnswer)
  }
  return findings === 0 ? EXIT.ok : EXIT.failed
}

async function report(
  { invocation, baseUrl, client, out, json }: Session,
  { pins, sequence }: Lockfile,
): Promise<number> {
  const checked = await checkPins(client, pins, sequence)
  const absent = new Set(checked?.items.filter(({ revised, evidence }) => !revised && !evidence).map(keyOf))
  const readable = pins.filter(({ slug, revisionId }) => !absent.has(keyOf({ entry: slug, revisionId })))
  const altered = invocation.switches.has('verify') ? await findAltered(client, readable) : []
  const items: Finding[] = [...(checked?.items ?? []), ...altered]
  const found = new Set(items.map(keyOf))
  const same = pins.filter(({ slug, revisionId }) => !found.has(keyOf({ entry: slug, revisionId }))).length
  if (json) out.json({ service: baseUrl, sequence, ...checked, items, same })
  else {
    writeFindings(out, items)
    out.line(`${plural(same, 'pin')} without findings at ${baseUrl}`)
  }
  if (checked !== undefined && BigInt(checked.sequence) < BigInt(sequence)) {
    out.note(
      `The service is at sequence ${checked.sequence}, before ${sequence} of the lockfile, so new evidence cannot be distinguished from old.`,
    )
  }
  return items.length
}

const keyOf = ({ entry, revisionId }: Pick<Finding, 'entry' | 'revisionId'>): string => `${entry}@${revisionId}`
