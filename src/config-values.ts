import ipaddr from 'ipaddr.js'
import { SPDX_IDENTIFIERS } from './spdx-identifiers.ts'

/** Parsers of settings. Each returns the value or throws what is expected, as in "must be …". */
export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most) throw new Error(`a whole number from ${least} to ${most}`)
    return value
  }

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time in milliseconds, from 5 minutes to 31 days. */
export const duration = (text: string): number => {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const value = Number(count) * (UNITS[unit] ?? Number.NaN)
  if (value >= 5 * 60_000 && value <= 31 * 86_400_000) return value
  throw new Error('a time from 5m to 31d, such as 30m, 6h or 1d')
}

export const decimal =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+(?:\.\d{1,3})?$/.test(text) || value < least || value > most)
      throw new Error(`a number from ${least} to ${most}, with at most three decimals`)
    return value
  }

export const oneOf =
  (...values: string[]) =>
  (text: string): string => {
    if (!values.includes(text)) throw new Error(`one of ${values.join(', ')}`)
    return text
  }

export const filled = (text: string): string => {
  if (text === '') throw new Error('something, or be unset')
  return text
}

/** Characters that an Authorization field may contain. */
export const credential = (text: string): string => {
  if (!/^[!-~]{16,}$/.test(text)) throw new Error('at least 16 characters of printable ASCII without spaces')
  return text
}

export const secret = (text: string): string => {
  if (text.length < 16) throw new Error('at least 16 characters long')
  return text
}

export const postgresUrl = (text: string): string => {
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw new Error('an address like postgres://user:password@host:5432/database')
  }
  return text
}

/** Addresses separated by commas. A password may contain a comma. */
export const postgresUrls = (text: string): string[] => text.split(/\s*,\s*(?=postgres(?:ql)?:)/).map(postgresUrl)

/** An address of a service, without user, path, query or fragment. Returns its origin. */
export const origin = (text: string): string => {
  const { protocol, origin, href } = URL.canParse(text) ? new URL(text) : ({} as Partial<URL>)
  if (origin === undefined || !/^https?:$/.test(protocol ?? '') || href !== `${origin}/`)
    throw new Error('an http or https address without a path, like https://memory.example')
  return origin
}

const LICENSE_CHARACTERS = 2_000

/** A licence, as its https address or as an SPDX identifier. Returns the address, without characters that would end a Link field. */
export const license = (text: string): string => {
  const identifier = SPDX_IDENTIFIERS.find(one => one.toLowerCase() === text.toLowerCase())
  if (identifier !== undefined) return `https://spdx.org/licenses/${identifier}.html`
  if (text.length <= LICENSE_CHARACTERS && /^https:\/\/[^\s@]+$/.test(text) && URL.canParse(text))
    return new URL(text).href
  throw new Error('an https address or an SPDX identifier like CC-BY-4.0')
}

/** The maximum number of addresses in a list. */
const URLS_MAX = 10

/** A comma-separated list of http or https addresses without `@`, so that none contains a password. */
export const urls = (text: string): string[] => {
  const parts = text.split(',').map(part => part.trim())
  const given = parts.filter(part => part !== '')
  const isAddress = (part: string): boolean =>
    URL.canParse(part) && /^https?:$/.test(new URL(part).protocol) && !part.includes('@')
  if (given.length > URLS_MAX || !given.every(isAddress))
    throw new Error(`a list of at most ${URLS_MAX} http or https addresses without a user`)
  return given
}

/** A field of a request, as `Name: value`. */
export const headerField = (text: string): readonly [name: string, value: string] => {
  const [, name, value] = /^([\w-]{1,64}): ([!-~][ -~]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new Error('a field like "Authorization: Bearer …"')
  return [name, value]
}

/** The maximum number of fields in a list. */
const FIELDS_MAX = 20

/** A comma-separated list of fields as `name=value`, with percent-encoded values (the OTLP exporter specification). */
export const headerList = (text: string): Record<string, string> => {
  const parts = text.split(',').filter(part => part.trim() !== '')
  const fields = parts.map(part => /^\s*([\w-]{1,64})=([!-+\--~]{1,4096})\s*$/.exec(part))
  const wrong = new Error(`a list of at most ${FIELDS_MAX} fields like "authorization=Bearer%20…"`)
  if (fields.length > FIELDS_MAX) throw wrong
  return Object.fromEntries(
    fields.map(field => {
      if (field === null) throw wrong
      const [, name = '', encoded = ''] = field
      const value = decoded(encoded)
      if (value === undefined || !/^[ -~]*$/.test(value)) throw wrong
      return [name, value]
    }),
  )
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The address of a collector, without user, query or fragment. Returns it without a slash at the end. */
export const collector = (text: string): string => {
  const { protocol, username, password, search, hash, href } = URL.canParse(text) ? new URL(text) : ({} as Partial<URL>)
  if (href === undefined || !/^https?:$/.test(protocol ?? '') || `${username}${password}${search}${hash}` !== '')
    throw new Error('an http or https address without a user and a query, like http://127.0.0.1:4318')
  return href.replace(/\/+$/, '')
}

export const contact = (text: string): string => {
  if (!/^(?:mailto:|https:\/\/)[!-~]{3,}$/.test(text) || !URL.canParse(text))
    throw new Error('a mailto: or https: address')
  return text
}

/** A comma-separated list of web origins, or `*`. */
export const origins = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => {
      if (part === '*') return part
      if (!URL.canParse(part) || new URL(part).origin !== part)
        throw new Error('a list of origins like https://host.example, or *')
      return part
    })

/** A comma-separated list of host names or addresses, in lower case, without ports. */
export const hosts = (text: string): string[] =>
  text
    .toLowerCase()
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => {
      if (/^(?:\[[\da-f:.]+\]|[\w.-]+)$/.test(part)) return part
      throw new Error('a list of host names like memory.example, without ports')
    })

/** A comma-separated list of addresses and CIDR networks. */
export const networks = (text: string): Network[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => {
      try {
        if (part.includes('/')) return ipaddr.parseCIDR(part)
        const address = ipaddr.parse(part)
        return [address, address.kind() === 'ipv4' ? 32 : 128]
      } catch {
        throw new Error('a list of networks like 10.0.0.0/8')
      }
    })
