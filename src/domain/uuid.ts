import { UUID_PATTERN } from '../contract/patterns.ts'

const UUID = new RegExp(UUID_PATTERN)

/** Whether a text is a UUID as the contract takes it: in a path, an id rather than a slug. */
export const isUuid = (text: string): boolean => UUID.test(text)

/**
 * A UUID of version 7 (RFC 9562, section 5.7): the milliseconds since 1970, the place among the ids of that millisecond in 32 bits, and the
 * last 42 bits of 16 random bytes. Ids sort by time, then by place.
 */
export function uuidV7(at: number, place: number, random: Uint8Array): string {
  const bytes = Buffer.from(random)
  bytes.writeUIntBE(at, 0, 6)
  bytes[6] = 0x70 | (place >>> 28)
  bytes[7] = place >>> 20
  bytes[8] = 0x80 | ((place >>> 14) & 0x3f)
  bytes[9] = place >>> 6
  bytes[10] = (place << 2) | ((random[10] ?? 0) & 0x03)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
