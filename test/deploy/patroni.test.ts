import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SETTINGS } from '../../src/config.ts'
import { missing, pathOf } from '../support/programs.ts'
import { ROOT } from './unit.ts'

const HAPROXY = pathOf('haproxy')
const skip = missing('haproxy')
const read = (file: string): string => readFileSync(join(ROOT, 'deploy/patroni', file), 'utf8')
const namesIn = (file: string): string[] =>
  [...read(file).matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name)

for (const files of [['patroni/haproxy.cfg'], ['haproxy.cfg', 'patroni/haproxy.cfg']]) {
  test(`HAProxy accepts ${files.join(' with ')} without a warning`, { skip }, () => {
    const args = files.flatMap(file => ['-f', join(ROOT, 'deploy', file)])
    const { status, stdout, stderr } = spawnSync(String(HAPROXY), ['-c', '-dW', ...args], { encoding: 'utf8' })
    assert.equal(status, 0, `${stdout}${stderr}`)
    assert.doesNotMatch(stderr, /WARNING|ALERT/)
  })
}

test('the settings of the nodes are settings of the service, at the ports of HAProxy', () => {
  const known = new Set(Object.values(SETTINGS).map(({ name }) => name))
  assert.deepEqual(
    namesIn('nodes.env').filter(name => !known.has(name as never)),
    [],
  )
  for (const [, address = ''] of read('nodes.env').matchAll(/@(127\.0\.0\.1:\d+)/g))
    assert.ok(read('haproxy.cfg').includes(`-${address}}"`), address)
})

test('a lease in etcd outlives a turn of Patroni with its retries', () => {
  const value = (name: string): number => Number(new RegExp(`^ +${name}: (\\d+)$`, 'm').exec(read('patroni.yml'))?.[1])
  assert.ok(value('ttl') >= value('loop_wait') + 2 * value('retry_timeout'))
})

test('etcd serves the interface that Patroni uses', () => {
  assert.match(read('patroni.env'), /^PATRONI_ETCD_HOSTS=/m)
  assert.doesNotMatch(read('patroni.env'), /ETCD3/)
  assert.match(read('etcd.env'), /^ETCD_ENABLE_V2=true$/m)
})

test('the members name each other alike in every file', () => {
  const addresses = (text: string): string[] => [...new Set(text.match(/10\.0\.0\.\d+/g))]
  for (const file of ['etcd.env', 'patroni.env', 'haproxy.cfg', 'nodes.env'])
    assert.deepEqual(addresses(read(file)), ['10.0.0.11', '10.0.0.12', '10.0.0.13'], file)
})
