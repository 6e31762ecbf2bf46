import assert from 'node:assert/strict'
import type { TestApp } from '../support/app.ts'
import { type Answer, call, expectProblem, expectStatus } from '../support/client.ts'

export type Options = { token?: string; body?: unknown; raw?: string; headers?: Record<string, string> }
export type Caller = (method: string, path: string, options?: Options) => Promise<Answer>

/** Sends calls from an address, to an app that trusts the proxy 127.0.0.0/8. */
export const callerFrom =
  (app: Pick<TestApp, 'url'>, origin: string): Caller =>
  (method, path, options = {}) =>
    call(app.url, method, path, { ...options, headers: { 'x-forwarded-for': origin, ...options.headers } })

export const actorFrom = async (visit: Caller): Promise<string> =>
  (expectStatus(await visit('POST', '/api/actors', { body: {} }), 201) as unknown as { token: string }).token

/** A read that costs little. */
export const list = (visit: Caller, options: Options = {}): Promise<Answer> =>
  visit('GET', '/api/entries?limit=1', options)

export const expectOk = (answer: Answer): Answer => {
  expectStatus(answer, 200)
  return answer
}

/** The items of a RateLimit field by policy: the remaining requests `r`, and the seconds `t` until more are available. */
export function standings(answer: Answer): Record<string, { r: number; t: number }> {
  const field = answer.headers.get('ratelimit') ?? ''
  return Object.fromEntries(
    field.split(', ').map(item => {
      const [, policy = '', r, t] =
        /^"([a-z]+-[a-z]+)";r=(\d+);t=(\d+)$/.exec(item) ?? assert.fail(`RateLimit: ${field}`)
      return [policy, { r: Number(r), t: Number(t) }]
    }),
  )
}
export const left = (answer: Answer, policy: string): number | undefined => standings(answer)[policy]?.r

/** Asserts a refusal by a rate limit. Returns the seconds to wait. */
export function assertRefused(answer: Answer): number {
  expectProblem(answer, 429, 'RATE_LIMITED')
  const text = answer.headers.get('retry-after') ?? ''
  assert.match(text, /^[1-9]\d*$/)
  assert.ok(Number(text) <= 60)
  return Number(text)
}
