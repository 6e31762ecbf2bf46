import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { OperatorError } from './operator-error.ts'

const ADDRESS = 'https://cache.example/.purge'
const REFUSED: Record<string, { values: string[]; sentence: RegExp }> = {
  CONTENT_LICENSE: {
    values: [
      '',
      'CC BY 4.0',
      'http://licence.example',
      'https://',
      'https://user@licence.example',
      'https://licence.example/\r\nset-cookie: a=b',
      `https://licence.example/${'x'.repeat(2_000)}`,
      'x'.repeat(65),
      'javascript:alert(1)',
      'CC-BY-9.0',
      'MIT OR Apache-2.0',
    ],
    sentence: /^CONTENT_LICENSE must be an https address or an SPDX identifier like CC-BY-4\.0/s,
  },
  SHARED_CACHE_SECONDS: {
    values: ['', '-1', '1.5', '1e3', '0x10', ' 1', '86401', 'ten'],
    sentence: /^SHARED_CACHE_SECONDS must be a whole number from 0 to 86400, not /,
  },
  PURGE_URL: {
    values: [
      'cache.example',
      'cache:6081',
      'ftp://cache.example',
      'http://user@cache.example',
      'http://:password@cache.example',
      `${ADDRESS}, nothing`,
      Array.from({ length: 11 }, () => ADDRESS).join(),
    ],
    sentence: /^PURGE_URL must be a list of at most 10 http or https addresses without a user/,
  },
  ALLOWED_HOSTS: {
    values: ['http://a.example', 'a.example:80', 'a b', '[::1', 'user@a', '*', 'a/b'],
    sentence: /^ALLOWED_HOSTS must be a list of host names like memory\.example, without ports/,
  },
  PURGE_HEADER: {
    values: [
      '',
      'name',
      'Name:value',
      'Name: ',
      ': value',
      'Two words: value',
      'Näme: value',
      'Name: välue',
      'Name: a\r\nHost: b',
      'Name: a\n',
      `${'n'.repeat(65)}: value`,
    ],
    sentence: /^PURGE_HEADER must be a field like "Authorization: Bearer …"\.$/,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    values: ['', 'localhost:4318', 'ftp://a.example', 'http://user:password@a.example', 'http://a.example/?b', '/v1'],
    sentence: /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without a user and a query, like http:/,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    values: [
      'name',
      '=value',
      'näme=value',
      'a=b%0d%0ac',
      'a=%ff',
      'a=b c',
      `${'a=b,'.repeat(20)}a=b`,
      `a=${'b'.repeat(4_097)}`,
    ],
    sentence: /^OTEL_EXPORTER_OTLP_HEADERS must be a list of at most 20 fields like "authorization=Bearer%20…"\.$/,
  },
}

for (const [name, { values, sentence }] of Object.entries(REFUSED)) {
  test(`${name} is refused in one sentence that names it`, () => {
    for (const value of values) {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error: Error) => error instanceof OperatorError && sentence.test(error.message),
        value,
      )
    }
  })
}

test('the address and the fields of a collector are read as OpenTelemetry writes them', () => {
  const { otlpEndpoint, otlpHeaders } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-tenant=one',
  })
  assert.equal(otlpEndpoint, 'https://collector.example/otlp')
  assert.deepEqual(otlpHeaders, { authorization: 'Bearer a=b', 'x-tenant': 'one' })
  assert.deepEqual(readConfig({}).otlpHeaders, {})
})

test('a refused address with a password is not repeated', () => {
  for (const name of ['PURGE_URL', 'PUBLIC_URL', 'CONTENT_LICENSE']) {
    assert.throws(
      () => readConfig({ [name]: 'ftp://user:password@cache.example' }),
      (error: Error) => error.message.startsWith(`${name} must be `) && !error.message.includes('password'),
      name,
    )
  }
})

test('a licence is an address, however it is written', () => {
  const read = (text: string) => readConfig({ CONTENT_LICENSE: text }).contentLicense
  assert.equal(read('CC-BY-SA-4.0'), 'https://spdx.org/licenses/CC-BY-SA-4.0.html')
  assert.equal(read('cc0-1.0'), 'https://spdx.org/licenses/CC0-1.0.html')
  assert.equal(read('https://licence.example/a"b>c'), 'https://licence.example/a%22b%3Ec')
  assert.equal(readConfig({}).contentLicense, undefined)
})

test('the settings of shared caches are read as they are documented', () => {
  const { sharedCacheSeconds, purgeUrls, purgeHeader } = readConfig({})
  assert.deepEqual([sharedCacheSeconds, purgeUrls, purgeHeader], [0, [], undefined])
  const config = readConfig({
    SHARED_CACHE_SECONDS: '86400',
    PURGE_URL: ` ${ADDRESS} ,,http://[::1]:6081`,
    PURGE_HEADER: 'Authorization: Bearer a: b',
  })
  assert.equal(config.sharedCacheSeconds, 86_400)
  assert.deepEqual(config.purgeUrls, [ADDRESS, 'http://[::1]:6081'])
  assert.deepEqual(config.purgeHeader, ['Authorization', 'Bearer a: b'])
  assert.deepEqual(readConfig({ PURGE_URL: '' }).purgeUrls, [])
})

test('PUBLIC_URL is an origin', () => {
  const read = (text: string) => readConfig({ PUBLIC_URL: text }).publicUrl
  assert.equal(read('https://Memory.example:443/'), 'https://memory.example')
  for (const wrong of ['https://m.example/wiki', 'https://m.example/?q', 'https://m.example/#a', 'https://u@m.example'])
    assert.throws(() => read(wrong), /^Error: PUBLIC_URL must be an http or https address without a path/)
})

test('DATABASE_READ_URL is a list of addresses, whose passwords may have commas', () => {
  const list = 'postgres://reader:a,b@one/name, postgresql://two/name'
  const primary = { DATABASE_URL: 'postgres://zero/name' }
  assert.deepEqual(readConfig({ ...primary, DATABASE_READ_URL: list }).databaseReadUrls, [
    'postgres://reader:a,b@one/name',
    'postgresql://two/name',
  ])
  assert.throws(() => readConfig({ DATABASE_READ_URL: 'one,postgres://two/name' }), /DATABASE_READ_URL/)
})
