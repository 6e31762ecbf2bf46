import type { ClientError } from '../../client/index.ts'
import { CommandError, EXIT } from '../command.ts'

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

/** The same request is in progress already. This is not another writer's revision. */
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
