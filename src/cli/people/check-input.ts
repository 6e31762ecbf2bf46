import { faultsOf } from '../../contract/check.ts'
import { NAMED_INPUTS } from '../../contract/operations.ts'
import { isCleanText } from '../../domain/text.ts'
import { type Invocation, mistake } from '../command.ts'

/** Checks a body against the contract before it costs a write. The error names the flag that was typed, or the member of the file. */
export function checkInput<T>({ flags }: Invocation, schema: keyof typeof NAMED_INPUTS, body: Partial<T>): T {
  const [first] = faultsOf(NAMED_INPUTS[schema], body)
  if (first !== undefined) {
    const member = first.instancePath.slice(1).replaceAll('/', '.')
    const flag = flagOf(member.split('.')[0] ?? '')
    const name = flags[flag] === undefined ? (member === '' ? 'The draft' : member) : `--${flag}`
    throw mistake(`${name} ${first.message}.`)
  }
  if (!isCleanText(body)) throw mistake('A text contains U+0000 or a lone surrogate; remove it.')
  return body as T
}

/** The flag of a member: changeType is --change-type. */
const flagOf = (member: string): string => member.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
