import ipaddr from 'ipaddr.js'

/** How the texts of settings are read: each of these gives the value or throws what is expected, as in "must be …". */
export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most) throw new Error(`a whole number from ${least} to ${most}`)
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

/** What can stand in an Authorization field; how long a credential is, is for its owner to judge. */
export const credential = (text: string): string => {
  if (!/^[!-~]+$/.test(text)) throw new Error('printable ASCII without spaces')
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

export const url = (text: string): string => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw new Error('an http or https address')
  return text.replace(/\/+$/, '')
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
