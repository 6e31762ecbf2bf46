import assert from 'node:assert/strict'
import { test } from 'node:test'
import ipaddr from 'ipaddr.js'
import type { Network } from '../config.ts'
import { dayOf, networkOf, Origins } from './identify.ts'

const PROXIES: Network[] = ['10.0.0.0/8', '127.0.0.0/8', 'fd00::/8'].map(text => ipaddr.parseCIDR(text))
const behind = (forwarded: string, peer = '10.0.0.1'): string => networkOf(peer, forwarded, PROXIES)

test('with trusted proxies the address is the rightmost entry that is not a trusted proxy', () => {
  assert.equal(behind('198.51.100.1'), '198.51.100.1')
  assert.equal(behind('192.0.2.66, 198.51.100.1'), '198.51.100.1')
  assert.equal(behind('192.0.2.66, 198.51.100.1, 10.9.9.9,127.0.0.1'), '198.51.100.1')
  assert.equal(behind(' 198.51.100.1 ,10.9.9.9 '), '198.51.100.1')
  assert.equal(behind('198.51.100.1', 'fd00::1'), '198.51.100.1')
  assert.equal(behind('198.51.100.1', '::ffff:10.0.0.1'), '198.51.100.1')
  assert.equal(behind('192.0.2.66, ::ffff:198.51.100.1'), '198.51.100.1')
})

test('if all hops are trusted the address is the first one, and an invalid entry ends the walk', () => {
  assert.equal(behind('10.1.1.1, 10.2.2.2'), '10.1.1.1')
  assert.equal(behind(''), '10.0.0.1')
  assert.equal(behind('198.51.100.1, nonsense'), '10.0.0.1')
  assert.equal(behind('198.51.100.1, nonsense, 10.2.2.2'), '10.2.2.2')
})

test('IPv6 is cut to /64: equal for all hosts of a network, different for the next network', () => {
  const one = networkOf('2001:db8:1:2::1', undefined, [])
  for (const same of ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:0001:0002::9', '2001:db8:1:2::1%eth0']) {
    assert.equal(networkOf(same, undefined, []), one)
  }
  for (const other of ['2001:db8:1:3::1', '2001:db8:2:2::1', '::1', '2001:db8::1']) {
    assert.notEqual(networkOf(other, undefined, []), one)
  }
  assert.equal(behind('[2001:db8:1:2::77]:4711'), one)
  assert.equal(behind('198.51.100.7:4711'), '198.51.100.7')
})

test('a peer without an address has a network of its own kind', () => {
  assert.equal(networkOf('', '198.51.100.1', PROXIES), 'unknown')
})

/** Origins with salts made from the day, and the list of the requested days. */
function originsOf(originKey: string) {
  const asked: string[] = []
  const origins = new Origins(
    () => originKey,
    [],
    async day => {
      asked.push(day)
      return `salt of ${day}`
    },
    () => {},
  )
  const keysOf = (remoteAddress: string, day: string) =>
    origins.originOf({ socket: { remoteAddress }, headers: {} }, Date.parse(day))
  return { asked, keysOf }
}

test('a salt is requested once a day, and salts of earlier days are removed from memory', async () => {
  const { asked, keysOf } = originsOf('a key for the test')
  const days = ['2026-01-01', '2026-01-02', '2026-01-03']
  for (const day of days) for (const address of ['192.0.2.5', '192.0.2.6']) await keysOf(address, day)
  assert.deepEqual(asked, days)
  await keysOf('192.0.2.7', '2026-01-01')
  assert.deepEqual(asked, [...days, '2026-01-01'])
})

test('a proxy at a loopback or private address that is not trusted is reported once', async () => {
  for (const [peer, proxies, expected] of [
    ['127.0.0.1', [], 1],
    ['::ffff:10.1.2.3', [], 1],
    ['fd00::1', [], 1],
    ['192.168.0.9', PROXIES, 1],
    ['192.0.2.5', [], 0],
    ['10.0.0.1', PROXIES, 0],
  ] as const) {
    let reports = 0
    const origins = new Origins(
      () => 'a key for the test',
      [...proxies],
      async () => 'a salt',
      () => {
        reports += 1
      },
    )
    const ask = (headers: Record<string, string>) => origins.originOf({ socket: { remoteAddress: peer }, headers }, 0)
    await ask({})
    assert.equal(origins.sawUntrustedProxy, false)
    for (const client of ['198.51.100.1', '198.51.100.2']) await ask({ 'x-forwarded-for': client })
    assert.equal(reports, expected, peer)
    assert.equal(origins.sawUntrustedProxy, expected === 1)
  }
})

test('a day is that of UTC', () => {
  assert.equal(dayOf(Date.UTC(2026, 0, 1, 23, 59, 59, 999)), '2026-01-01')
  assert.equal(dayOf(Date.UTC(2026, 0, 2)), '2026-01-02')
})
