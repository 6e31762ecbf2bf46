import { readFileSync } from 'node:fs'
import { OperatorError, systemFault } from '../operator-error.ts'
import { MalformedError } from '../tlog/bytes.js'
import { type Policy, parsePolicy } from '../tlog/policy.js'

/** Maximum number of witnesses that are asked. With two signatures of the log a checkpoint then has 32, which readers of notes accept. */
const ASKED_MAX = 30

/** The policy in the file that LOG_WITNESSES names; undefined without one. Throws OperatorError where it cannot be read or followed. */
export async function readWitnessPolicy(path: string | undefined): Promise<Policy | undefined> {
  if (path === undefined) return undefined
  try {
    const policy = await parsePolicy(readFileSync(path, 'utf8'))
    for (const [name, { url }] of policy.witnesses) {
      if (url !== undefined && !/^https?:\/\/[^\s]+$/.test(url))
        throw new MalformedError(`The address of ${name} is not http or https.`)
    }
    const asked = [...policy.witnesses.values()].filter(({ url }) => url !== undefined)
    if (asked.length > ASKED_MAX) throw new MalformedError(`More than ${ASKED_MAX} witnesses have an address.`)
    return policy
  } catch (error) {
    const reason = error instanceof MalformedError ? error.message : systemFault(error)
    throw new OperatorError(`LOG_WITNESSES names ${path}, which is no policy file of c2sp.org/tlog-policy: ${reason}`)
  }
}
