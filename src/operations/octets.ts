/** JSON as it is sent: its UTF-8, as a string one character per byte. Kept so it is neither held twice nor encoded again. */
export type Octets = string | Buffer

const NOT_ASCII = /[\x80-\xff]/

/** The UTF-8 of a text, one character per byte. */
export function octetsOf(text: string): string {
  const bytes = Buffer.from(text)
  return bytes.length === text.length ? text : bytes.toString('latin1')
}

/** What the JSON says that octets are. */
export function objectOf(octets: Octets): object {
  if (typeof octets !== 'string') return JSON.parse(octets.toString())
  return JSON.parse(NOT_ASCII.test(octets) ? Buffer.from(octets, 'latin1').toString() : octets)
}
