import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

const HOUR = 3_600_000

/** DER (X.690): a tag, the length of the content, the content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts)
const time = (at: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`))

type Wanted = { name?: string; from?: number; to?: number }

/** A self-signed certificate (X.509 v1, RFC 5280 4.1), by default without a host name and valid for an hour, with its key in PEM. */
export function selfSigned({ name: host = 'test', from = Date.now() - HOUR, to = Date.now() + HOUR }: Wanted = {}): {
  key: string | Buffer
  cert: string
} {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const name = sequence(der(0x31, sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(host)))))
  const validity = sequence(time(from), time(to))
  const key = (publicKey as KeyObject).export({ type: 'spki', format: 'der' })
  const content = sequence(der(0x02, Buffer.from([1])), algorithm, name, validity, name, key)
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const certificate = sequence(content, algorithm, signature)
  const lines = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
