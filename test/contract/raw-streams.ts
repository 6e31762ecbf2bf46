/** The expected outcome of a stream of bytes: these statuses in order, or one of several such outcomes; [] is a close without an answer. */
export type Stream = {
  label: string
  bytes: string | Buffer
  outcomes: readonly (readonly number[])[]
  /** The answers have no bodies, as to HEAD. */
  bodiless?: boolean
}

const HOST = 'Host: palimpsest.test\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
/** Valid JSON that creates nothing. */
const NOTHING = '{"unknown":1}'
const get = (path: string, fields = ''): string => `GET ${path} HTTP/1.1\r\n${HOST}${fields}\r\n`
const post = (fields: string, body = ''): string =>
  `POST /api/actors HTTP/1.1\r\n${HOST}${JSON_TYPE}${fields}\r\n${body}`
const chunked = (body: string): string => post('Transfer-Encoding: chunked\r\n', body)
const stream = (label: string, bytes: string | Buffer, ...outcomes: number[][]): Stream => ({ label, bytes, outcomes })

const head = (label: string, line: string, ...outcomes: number[][]): Stream => ({
  label,
  bytes: `${line}\r\n${HOST}\r\nzz\r\n`.slice(0, line.endsWith('chunked') ? undefined : -4),
  outcomes,
  bodiless: true,
})

const REFUSED = [[400], []]
const refused = (label: string, bytes: string | Buffer): Stream => stream(label, bytes, ...REFUSED)
/** Refused at once or after a first harmless answer. A smuggled request is never answered. */
const SMUGGLED = `GET /smuggled HTTP/1.1\r\n${HOST}\r\n`

const FRAMING: Stream[] = [
  refused('two Content-Lengths that differ', post('Content-Length: 2\r\nContent-Length: 13\r\n', NOTHING)),
  refused('two Content-Lengths that agree', post('Content-Length: 13\r\nContent-Length: 13\r\n', NOTHING)),
  refused('a list of Content-Lengths', post('Content-Length: 13, 13\r\n', NOTHING)),
  refused(
    'Content-Length and Transfer-Encoding',
    post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'Transfer-Encoding and Content-Length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused('a negative Content-Length', post('Content-Length: -1\r\n', NOTHING)),
  refused('a signed Content-Length', post('Content-Length: +13\r\n', NOTHING)),
  refused('a hexadecimal Content-Length', post('Content-Length: 0xd\r\n', NOTHING)),
  refused('an empty Content-Length', post('Content-Length:\r\n', NOTHING)),
  refused('a Content-Length of two words', post('Content-Length: 1 3\r\n', NOTHING)),
  refused('a Content-Length beyond 64 bits', post('Content-Length: 99999999999999999999\r\n', NOTHING)),
  stream('a Content-Length of 1 GB', post('Content-Length: 1000000000\r\n', NOTHING), [413]),
  stream('an empty body', post('Content-Length: 0\r\n'), [400]),
  stream('a good chunked body', chunked(`d\r\n${NOTHING}\r\n0\r\n\r\n`), [400]),
  stream('chunk extensions and trailers', chunked(`d;a=b;c\r\n${NOTHING}\r\n0\r\nX-Trailer: a\r\n\r\n`), [400]),
  refused('a chunk size that is no number', chunked(`zz\r\n${NOTHING}\r\n0\r\n\r\n`)),
  refused('a negative chunk size', chunked(`-1\r\n${NOTHING}\r\n0\r\n\r\n`)),
  refused('a chunk size beyond 64 bits', chunked(`fffffffffffffffff\r\n${NOTHING}\r\n0\r\n\r\n`)),
  refused('a chunk longer than its size', chunked(`2\r\n${NOTHING}\r\n0\r\n\r\n`)),
  refused('a chunk size without a line end', chunked(`d${NOTHING}`)),
  refused('chunks with bare line feeds', chunked(`d\n${NOTHING}\n0\n\n`)),
  refused('a chunk extension of 64 KiB', chunked(`d;${'x'.repeat(65_536)}\r\n${NOTHING}\r\n0\r\n\r\n`)),
  refused('a trailer of 64 KiB', chunked(`0\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`)),
  refused('an unknown transfer coding', post('Transfer-Encoding: xchunked\r\n', `d\r\n${NOTHING}\r\n0\r\n\r\n`)),
  refused('chunked, but not last', post('Transfer-Encoding: chunked, identity\r\n', `d\r\n${NOTHING}\r\n0\r\n\r\n`)),
  refused('a transfer coding behind a space', post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${SMUGGLED}`)),
  refused(
    'a transfer coding behind a vertical tab',
    post('Transfer-Encoding: \u000bchunked\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused('a folded transfer coding', post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${SMUGGLED}`)),
  stream('gzip as a transfer coding', post('Transfer-Encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), [400]),
  stream('a body on a GET', `GET /health HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`, [200], [400]),
  stream(
    'a chunked body on a GET',
    `GET /health HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    [200],
    [400],
  ),
  stream(
    'a GET hidden in the body of a GET',
    `GET /health HTTP/1.1\r\n${HOST}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
    [200],
    [400],
  ),
  stream(
    'a request behind Connection: close',
    `GET /health HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n${SMUGGLED}`,
    [200],
    [400],
  ),
]

const LINES: Stream[] = [
  refused('NUL in a path', get('/api/entries/a\u0000b')),
  refused('a space in a path', get('/api/entries/a b')),
  refused('a tab in a path', get('/api/entries/a\tb')),
  stream('raw UTF-8 in a path', Buffer.from(get('/api/entries/é')), [400], [404], []),
  stream('raw bytes in a path', Buffer.from(get('/api/entries/\u00ff\u00fe'), 'latin1'), [400], [404], []),
  stream('raw UTF-8 in a query', Buffer.from(get('/api/search?q=é')), [400], [200], []),
  stream('a bad percent sign in a path', get('/api/entries/%zz'), [400]),
  stream('a bad percent sign elsewhere', get('/%zz'), [400], [404]),
  stream('a bad percent sign in a query', get('/api/search?q=%zz'), [400]),
  stream('a fragment', get('/health#top'), [200], [400], [404]),
  stream('a path of two slashes', get('//palimpsest.test/health'), [404], [400]),
  stream('dots in a path', get('/api/../../etc/passwd'), [404], [400]),
  stream('the absolute form', get('http://palimpsest.test/health'), [200], [404], [400]),
  stream('the absolute form of another scheme', get('ftp://palimpsest.test/health'), [400], [404]),
  refused('no path', `GET HTTP/1.1\r\n${HOST}\r\n`),
  refused('a path without a slash', get('health')),
  refused('two versions', `GET /health HTTP/1.1 HTTP/1.1\r\n${HOST}\r\n`),
  refused('HTTP/0.9', 'GET /health\r\n'),
  refused('HTTP/1.2', `GET /health HTTP/1.2\r\n${HOST}\r\n`),
  stream('HTTP/2.0 as text', `GET /health HTTP/2.0\r\n${HOST}\r\n`, [400]),
  refused('HTTP/9.9', `GET /health HTTP/9.9\r\n${HOST}\r\n`),
  refused('a lower-case protocol', `GET /health http/1.1\r\n${HOST}\r\n`),
  stream('HTTP/1.0', 'GET /health HTTP/1.0\r\n\r\n', [200]),
  stream('HTTP/1.0 kept alive', 'GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', [200]),
  refused(
    'the HTTP/2 preface',
    Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from('000000040000000000', 'hex')]),
  ),
  refused('a TLS hello', Buffer.from(`16030100a5010000a10303${'ab'.repeat(160)}`, 'hex')),
  refused('an SSH banner', 'SSH-2.0-OpenSSH_9.6\r\n'),
  refused('binary nonsense', Buffer.from(Array.from({ length: 512 }, (_, n) => (n * 151 + 7) % 256))),
  refused('only NULs', Buffer.alloc(512)),
  stream('empty lines before a request', `\r\n\r\n${get('/health')}`, [200], [400]),
  refused('a lower-case method', `get /health HTTP/1.1\r\n${HOST}\r\n`),
  refused('an unknown method', `FOO /health HTTP/1.1\r\n${HOST}\r\n`),
  stream('DELETE', `DELETE /api/entries/x HTTP/1.1\r\n${HOST}\r\n`, [404]),
  stream('TRACE', `TRACE / HTTP/1.1\r\n${HOST}X-Actor-Token: secret\r\n\r\n`, [404], [400], []),
  refused('CONNECT', 'CONNECT palimpsest.test:443 HTTP/1.1\r\nHost: palimpsest.test:443\r\n\r\n'),
  ...['GET', 'POST', 'DELETE'].map(method => stream(`${method} *`, `${method} * HTTP/1.1\r\n${HOST}\r\n`, [400])),
  stream('a path that begins with *', get('*/health'), [400]),
  stream('OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, [204], [404], [400]),
  stream('OPTIONS of a path', `OPTIONS /api/entries HTTP/1.1\r\n${HOST}\r\n`, [204], [404], [400]),
  stream('OPTIONS of no path', `OPTIONS /nowhere HTTP/1.1\r\n${HOST}\r\n`, [204], [404], [400]),
  head('HEAD', 'HEAD /health HTTP/1.1', [200]),
  head('HEAD of no entry', 'HEAD /api/entries/none HTTP/1.1', [404]),
  head('HEAD *', 'HEAD * HTTP/1.1', [400]),
  head('HEAD of a bad percent sign', 'HEAD /%zz HTTP/1.1', [400]),
  head('HEAD of a path with a space', 'HEAD /a b HTTP/1.1', [400]),
  head('HEAD of an unknown version', 'HEAD /health HTTP/9.9', [400]),
  head('HEAD without a path', 'HEAD HTTP/1.1', [400]),
  head('HEAD with a field without a colon', 'HEAD /health HTTP/1.1\r\nNonsense', [400]),
  head('HEAD with an invalid body', 'HEAD /health HTTP/1.1\r\nTransfer-Encoding: chunked', [200], [400]),
  head('HEAD of a malformed path after another HEAD', `HEAD /health HTTP/1.1\r\n${HOST}\r\nHEAD /a b HTTP/1.1`, [200]),
]

const FIELDS: Stream[] = [
  refused('no Host', 'GET /health HTTP/1.1\r\n\r\n'),
  stream('two Hosts', `GET /health HTTP/1.1\r\n${HOST}Host: other.test\r\n\r\n`, [400]),
  ...['/ready', '/health', '/api/entries'].map(path =>
    stream(`two Hosts, from a browser, at ${path}`, get(path, `${HOST}Accept: text/html\r\n`), [400]),
  ),
  stream('two Hosts that agree', `GET /api/entries HTTP/1.1\r\n${HOST}${HOST}\r\n`, [400]),
  stream('two Hosts in HTTP/1.0', `GET /health HTTP/1.0\r\n${HOST}Host: other.test\r\n\r\n`, [400]),
  ...['', 'a b', 'a/b', 'user@a', 'a:b', 'a,b:80:80', '[::1', '%zz', '<a>'].map(host =>
    stream(`the Host "${host}"`, `GET /api/entries HTTP/1.1\r\nHost: ${host}\r\n\r\n`, [400]),
  ),
  ...['a', 'a:8080', 'a:', '[::1]:80', '127.0.0.1', 'a_b.c-d.', 'xn--bcher-kva.example', '%C3%A9'].map(host =>
    stream(`the Host "${host}"`, `GET /api/entries HTTP/1.1\r\nHost: ${host}\r\n\r\n`, [200]),
  ),
  stream('two Content-Types that agree', post(`${JSON_TYPE}Content-Length: 2\r\n`, '{}'), [400]),
  stream('two Content-Types that differ', post(`Content-Type: text/plain\r\nContent-Length: 2\r\n`, '{}'), [400]),
  refused('bare line feeds', 'GET /health HTTP/1.1\nHost: palimpsest.test\n\n'),
  refused('bare carriage returns', 'GET /health HTTP/1.1\rHost: palimpsest.test\r\r'),
  refused('a folded field', get('/health', 'X-Folded: a\r\n b\r\n')),
  refused('NUL in a field', get('/health', 'X-Nul: a\u0000b\r\n')),
  refused('a field without a colon', get('/health', 'Nonsense\r\n')),
  refused('a field without a name', get('/health', ': value\r\n')),
  refused('a space in a name', get('/health', 'X Name: value\r\n')),
  refused('raw bytes in a name', get('/health', 'X-\u00e9: value\r\n')),
  stream(
    'raw bytes in a value',
    Buffer.from(get('/api/stats', 'User-Agent: \u00ff\u00fe\u0080\r\n'), 'latin1'),
    [200],
    [400],
  ),
  stream('a token of raw bytes', Buffer.from(get('/api/stats', 'X-Actor-Token: \u00ff\r\n'), 'latin1'), [401], [400]),
  stream('two tokens', get('/api/stats', 'X-Actor-Token: a\r\nX-Actor-Token: b\r\n'), [401]),
  refused('a field of 36 KiB', get('/health', `X-Long: ${'x'.repeat(36_864)}\r\n`)),
  refused('a path of 36 KiB', get(`/api/entries/${'x'.repeat(36_864)}`)),
  stream('a path of 12 KiB', get(`/api/entries/${'x'.repeat(12_288)}`), [400]),
  refused('10,000 fields', get('/health', 'a: b\r\n'.repeat(10_000))),
  stream('1,500 fields', get('/health', 'a: b\r\n'.repeat(1_500)), [200], [400]),
  refused('a field without end', `GET /health HTTP/1.1\r\nX: ${'x'.repeat(200_000)}`),
  stream('Expect: 100-continue', post(`Expect: 100-continue\r\nContent-Length: ${NOTHING.length}\r\n`, NOTHING), [400]),
  stream('another expectation', post(`Expect: 200-ok\r\nContent-Length: ${NOTHING.length}\r\n`, NOTHING), [400]),
  stream('another expectation on a GET', get('/health', 'Expect: 200-ok\r\n'), [400]),
  stream('two expectations', get('/health', 'Expect: 100-continue, 200-ok\r\n'), [400]),
  stream('Expect on a GET', get('/health', 'Expect: 100-continue\r\n'), [200], [400]),
  stream(
    'Upgrade to WebSocket',
    get(
      '/health',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n',
    ),
    [200],
    [400],
    [],
  ),
  stream(
    'Upgrade to h2c',
    get('/health', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'),
    [200],
    [400],
    [],
  ),
  stream(
    'Upgrade of a POST',
    post(`Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: ${NOTHING.length}\r\n`, NOTHING),
    [400],
    [],
  ),
]

/** A connection ends after the answer to its first request, if another one arrives before that answer. */
const PIPELINES: Stream[] = [
  stream('two requests at once', get('/health').repeat(2), [200]),
  stream('two bodies at once', post(`Content-Length: ${NOTHING.length}\r\n`, NOTHING).repeat(2), [400]),
  stream('20 requests at once', get('/health').repeat(20), [200]),
  stream('a broken request behind a good one', `${get('/health')}NONSENSE\r\n\r\n`, [200]),
  stream('a good request behind a broken one', `NONSENSE\r\n\r\n${get('/health')}`, [400], []),
]

/** These stop in the middle: the server has to end them by itself. */
const CUT: Stream[] = [
  stream('silence', '', [400], []),
  stream('half a request line', 'GET /hea', [400], []),
  stream('half the fields', `GET /health HTTP/1.1\r\n${HOST}`, [400], []),
  stream('half a body', post('Content-Length: 100\r\n', '{"decl'), [400], []),
  stream('half a chunk', chunked('ff\r\n{"decl'), [400], []),
  stream('no last chunk', chunked(`d\r\n${NOTHING}\r\n`), [400], []),
  stream('a second request cut off', `${get('/health')}GET /hea`, [200, 400]),
]

export const STREAMS: readonly Stream[] = [...FRAMING, ...LINES, ...FIELDS, ...PIPELINES, ...CUT]
