import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts'
import type { LimitState } from '../../domain/rate-limit.ts'

type Fields = { 'ratelimit-policy': string; ratelimit: string }

/** The RateLimit-Policy and RateLimit fields: an item per limit. */
export function rateLimitFields(limits: readonly Omit<LimitState, 'bin'>[]): Fields {
  return {
    'ratelimit-policy': limits.map(({ policy, quota }) => `"${policy}";q=${quota};w=${RATE_WINDOW_SECONDS}`).join(', '),
    ratelimit: limits.map(({ policy, remaining, reset }) => `"${policy}";r=${remaining};t=${reset}`).join(', '),
  }
}

/** Adds an item for the cooldown to the fields: the next write of this kind must wait this many seconds. */
export function withCooldown(fields: Partial<Fields>, seconds: number, cooldownSeconds: number): Partial<Fields> {
  if (seconds <= 0) return fields
  const items = (own: string | undefined, item: string): string => [own, item].filter(Boolean).join(', ')
  return {
    'ratelimit-policy': items(fields['ratelimit-policy'], `"cooldown";q=1;w=${cooldownSeconds}`),
    ratelimit: items(fields.ratelimit, `"cooldown";r=0;t=${seconds}`),
  }
}
