/** The result of a check. `warn` is optional to fix. With `FAIL` the service does not work or is not safe. */
export type Finding = { mark: 'ok' | 'warn' | 'FAIL'; what: string; finding: string; remedy?: string }
export type Check = () => Finding | Finding[] | Promise<Finding | Finding[]>
