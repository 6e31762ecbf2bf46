/** The result of a check. `warn` is optional to fix. With `FAIL` the service does not work or is not safe. */
export type Finding = { mark: 'ok' | 'warn' | 'FAIL'; what: string; finding: string; remedy?: string }
export type Check = () => Finding | Finding[] | Promise<Finding | Finding[]>
/** A check by its name. If the check that it `needs` finds a fault or is skipped, it is skipped: it would find the same fault. */
export type NamedCheck = [what: string, check: Check, needs?: string]
