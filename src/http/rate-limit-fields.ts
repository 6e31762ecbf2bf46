import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import type { Standing } from '../domain/rate-limit.ts'

/** The RateLimit-Policy and RateLimit fields: an item per limit. */
export function rateLimitFields(standings: readonly Standing[]): Record<string, string> {
  return {
    'ratelimit-policy': standings
      .map(({ policy, quota }) => `"${policy}";q=${quota};w=${RATE_WINDOW_SECONDS}`)
      .join(', '),
    ratelimit: standings.map(({ policy, remaining, reset }) => `"${policy}";r=${remaining};t=${reset}`).join(', '),
  }
}
