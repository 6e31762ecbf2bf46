import { firstFault } from '../../contract/check.ts'
import { ruleOf } from '../../contract/member-problems.ts'
import { NAMED_INPUTS } from '../../contract/operations.ts'
import { isCleanText } from '../../memory/values.ts'
import { type Invocation, mistake } from '../command.ts'

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
