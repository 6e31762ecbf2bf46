import { hash, timingSafeEqual } from 'node:crypto'
import { Problem } from '../../contract/problem.ts'
import type { Awaitable, Reader } from '../../database/database.ts'
import { isToken, tokenHash } from '../../domain/actor.ts'
import { andThen } from '../../operations/awaitable.ts'
import { findActorByToken } from '../../store/actor.ts'

/** The result of the X-Actor-Token header. */
export type ActorClaim =
  | { kind: 'none' }
  | { kind: 'bad'; tokenHash?: string }
  | { kind: 'actor'; number: number; tokenHash: string }

/** Finds the actor of a token header. The checksum detects a mistyped token without a look-up. */
export function claimOf(reader: Reader, header: string | string[] | undefined): Awaitable<ActorClaim> {
  if (header === undefined) return { kind: 'none' }
  if (typeof header !== 'string' || !isToken(header)) return { kind: 'bad' }
  const hash = tokenHash(header)
  return andThen(findActorByToken(reader, hash), actor =>
    actor === undefined ? { kind: 'bad', tokenHash: hash } : { kind: 'actor', number: actor.number, tokenHash: hash },
  )
}

/** Returns the number of the actor, or null without a token. Throws ACTOR_TOKEN_INVALID. */
export function assertActorIfSent(claim: ActorClaim): number | null {
  if (claim.kind === 'bad') throw new Problem('ACTOR_TOKEN_INVALID')
  return claim.kind === 'actor' ? claim.number : null
}

/** Returns the number of the actor. Throws ACTOR_TOKEN_INVALID, or ACTOR_TOKEN_REQUIRED without a token. */
export function assertActor(claim: ActorClaim): number {
  const actor = assertActorIfSent(claim)
  if (actor === null) throw new Problem('ACTOR_TOKEN_REQUIRED')
  return actor
}

/** Checks Authorization headers against the admin token in constant time. `expected` is its SHA-256 in hex. */
export function createAdminCheck(expected: () => string) {
  const credentialOf = (header: string | undefined): string | undefined => /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  const matches = (credential: string): boolean =>
    timingSafeEqual(hash('sha256', credential, 'buffer'), Buffer.from(expected(), 'hex'))
  return {
    isAdmin: (header: string | undefined): boolean => matches(credentialOf(header) ?? ''),
    assertAdmin(header: string | undefined): void {
      const credential = credentialOf(header)
      if (credential === undefined) throw new Problem('ADMIN_TOKEN_REQUIRED')
      if (!matches(credential)) throw new Problem('ADMIN_TOKEN_INVALID')
    },
  }
}
