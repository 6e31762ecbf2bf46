/** The reason why a request got no answer. */
export type Unreachable = {
  /** Completes "… got no answer from <base>: ". */
  why: string
  /** Whether the request may have reached the service. */
  sent: boolean
  /** Whether another attempt may succeed. */
  passes: boolean
}

type Fault = { code?: unknown; address?: unknown; message?: unknown; errors?: unknown; cause?: unknown }

/** Reasons by error code of the system or of undici. None of these requests was sent. `{host}` is a placeholder. */
const NEVER_SENT: Readonly<Record<string, { why: string; passes: boolean }>> = {
  ECONNREFUSED: { why: 'the connection is refused; is the service running, and on this port?', passes: true },
  ENOTFOUND: { why: 'the host name {host} is unknown; check its spelling.', passes: false },
  EAI_AGAIN: { why: 'no name server answers for {host}; check the network.', passes: true },
  EHOSTUNREACH: { why: '{host} cannot be reached from here; check the address and the network.', passes: true },
  ENETUNREACH: { why: '{host} cannot be reached from here; check the address and the network.', passes: true },
  ETIMEDOUT: {
    why: '{host} does not accept the connection in time; check the address and the firewall.',
    passes: true,
  },
  UND_ERR_CONNECT_TIMEOUT: {
    why: '{host} does not accept the connection in time; check the address and the firewall.',
    passes: true,
  },
}
const CERTIFICATE = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/
const TLS = /^ERR_SSL_|^EPROTO$/

/**
 * Determines why fetch failed from the error codes in `cause`. Only Node provides these codes.
 * @param failure the error that fetch threw
 * @param base the http or https base URL of the request
 */
export function unreachable(failure: unknown, base: string): Unreachable {
  const fault = faultOf(failure)
  const code = typeof fault.code === 'string' ? fault.code : ''
  const { host, hostname, protocol } = new URL(base)
  const known = NEVER_SENT[code]
  if (known !== undefined) {
    // A refused connection to this machine means that no service runs. Another machine may be restarting.
    const passes = known.passes && !(code === 'ECONNREFUSED' && isLoopback(fault, hostname))
    return { why: known.why.replace('{host}', hostname), sent: false, passes }
  }
  if (CERTIFICATE.test(code)) {
    const why = `the certificate of ${hostname} is not accepted (${code}); use the name it was issued for, or trust its issuer by NODE_EXTRA_CA_CERTS.`
    return { why, sent: false, passes: false }
  }
  if (TLS.test(code) && protocol === 'https:') {
    return { why: `this port does not speak TLS; try http://${host} if that is intended.`, sent: false, passes: false }
  }
  if (fault.message === 'bad port') {
    return { why: `fetch never connects to this port; serve on another one.`, sent: false, passes: false }
  }
  const named = code === '' ? '' : ` (${code})`
  return { why: `the connection failed${named}; check the address and the network.`, sent: true, passes: true }
}

/** The innermost error that has a code. */
function faultOf(failure: unknown): Fault {
  let fault = failure as Fault
  for (let depth = 0; depth < 4 && isObject(fault?.cause) && typeof fault.code !== 'string'; depth += 1) {
    fault = fault.cause
  }
  return isObject(fault) ? fault : {}
}

const isObject = (value: unknown): value is Fault => typeof value === 'object' && value !== null

/** Whether all addresses that refused the connection are loopback addresses. Checks the host name if the error has no address. */
function isLoopback({ address, errors }: Fault, hostname: string): boolean {
  const all = Array.isArray(errors) ? errors.map(error => (error as Fault).address) : [address]
  const named = all.filter(one => typeof one === 'string')
  return (named.length > 0 ? named : [hostname.replace(/^\[|\]$/g, '')]).every(
    one => one === 'localhost' || one === '::1' || /^127\.\d+\.\d+\.\d+$/.test(one),
  )
}
