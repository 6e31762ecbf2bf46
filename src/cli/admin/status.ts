import type { Finding } from '../../http/status.ts'
import { CommandError, EXIT, type Invocation } from '../command.ts'
import { lineOf } from '../doctor/doctor.ts'
import { plural } from '../people/flags.ts'
import { administrate } from './connection.ts'

/** Prints the findings of a running service. Fails if one of them is a fault. */
export const showStatus = (invocation: Invocation): Promise<number> =>
  administrate(invocation, async ({ read, out, json }) => {
    const { findings } = await read<{ findings: Finding[] }>('/admin/status')
    for (const finding of findings) json ? out.json(finding) : out.line(lineOf(finding))
    const faults = findings.filter(({ mark }) => mark === 'FAIL').length
    await out.taken()
    if (faults > 0) throw new CommandError(`The service has ${plural(faults, 'fault')}.`, EXIT.failed)
  })
