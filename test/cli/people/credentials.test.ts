import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { configDirectory, credentialFile, keepCredential, readCredential } from '../../../src/cli/people/credentials.ts'
import type { ActorIssued } from '../../../src/client/index.ts'
import { commandLine } from './in-process.ts'

const { scratch } = commandLine()
const BASE = 'http://127.0.0.1:8080'
const TOKEN = 'plm_not-a-real-one'
const issued = (id: string): ActorIssued => ({ actor: { id }, token: `${TOKEN}-${id}` }) as ActorIssued
const issue = (id: string) => async () => issued(id)
let homes = 0
const home = (): { XDG_CONFIG_HOME: string } => {
  homes += 1
  return { XDG_CONFIG_HOME: join(scratch(), `home-${homes}`) }
}

test('a token file and its directories are readable by their owner only, one file for each service', async () => {
  const env = home()
  const { made } = await keepCredential(env, BASE, issue('a'))
  assert.ok(made)
  await keepCredential(env, `${BASE}/memory`, issue('b'))
  const file = credentialFile(env, BASE)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  for (let path = dirname(file); path !== dirname(env.XDG_CONFIG_HOME); path = dirname(path)) {
    assert.equal(statSync(path).mode & 0o777, 0o700, path)
  }
  assert.equal(readCredential(env, BASE)?.actor.id, 'a')
  assert.equal(readCredential(env, `${BASE}/memory`)?.token, `${TOKEN}-b`)
  assert.equal(readCredential(env, 'https://other.example'), undefined)
  assert.equal(readdirSync(dirname(file)).length, 2)
})

test('of two simultaneous first writes one stores its actor, and both write as that actor', async () => {
  const env = home()
  const other = await keepCredential(env, BASE, async () => {
    assert.equal((await keepCredential({ ...env }, BASE, issue('first')).catch(() => undefined))?.made, true)
    return issued('second')
  })
  assert.equal(other.made, false)
  assert.equal(other.credential.actor.id, 'first')
  assert.equal(readCredential(env, BASE)?.actor.id, 'first')
})

test('if no token can be stored no actor is made, and a failed creation leaves nothing', async () => {
  const env = home()
  mkdirSync(env.XDG_CONFIG_HOME)
  writeFileSync(join(env.XDG_CONFIG_HOME, 'palimpsest'), '')
  let asked = 0
  const asking = async () => {
    asked += 1
    return issued('x')
  }
  await assert.rejects(keepCredential(env, BASE, asking), {
    message: /cannot store a token \(a part of its path is a file\); make it writable, or/,
  })
  assert.equal(asked, 0)
  const fresh = home()
  await assert.rejects(
    keepCredential(fresh, BASE, async () => {
      throw new Error('refused')
    }),
    /refused/,
  )
  assert.deepEqual(readdirSync(dirname(credentialFile(fresh, BASE))), [])
})

test('a token file that others may read, that is not a plain file, or that is incomplete is refused and not printed', async () => {
  const env = home()
  await keepCredential(env, BASE, issue('a'))
  const file = credentialFile(env, BASE)
  const refuses = (sentence: RegExp): void => {
    assert.throws(
      () => readCredential(env, BASE),
      (error: Error) => {
        assert.match(error.message, sentence)
        assert.ok(!error.message.includes(TOKEN))
        return true
      },
    )
  }
  for (const mode of [0o640, 0o604, 0o620, 0o666]) {
    chmodSync(file, mode)
    refuses(/contains a token and others can read it; run "chmod 600 .*" and try again\.$/)
  }
  chmodSync(file, 0o600)
  const whole = readFileSync(file, 'utf8')
  for (const text of [whole.slice(0, -9), '[]', 'null', '{}', whole.replace(BASE, 'https://elsewhere.example')]) {
    writeFileSync(file, text)
    refuses(/is damaged; remove it to create a new actor\.$/)
  }
  writeFileSync(file, ' '.repeat(70_000))
  refuses(/is damaged/)
  renameSync(file, `${file}.real`)
  symlinkSync(`${file}.real`, file)
  refuses(/cannot be read \(it is a link\)/)
})

test('a directory that others may write stores no token', async () => {
  const env = home()
  await keepCredential(env, BASE, issue('a'))
  chmodSync(dirname(credentialFile(env, BASE)), 0o777)
  await assert.rejects(keepCredential(env, `${BASE}/b`, issue('b')), { message: /run "chmod 700 .*actors"/ })
  assert.ok(!existsSync(credentialFile(env, `${BASE}/b`)))
})

test("the directory is the user's configuration directory of the system", () => {
  assert.equal(configDirectory({ HOME: '/h' }, 'linux'), '/h/.config/palimpsest')
  assert.equal(configDirectory({ HOME: '/h', XDG_CONFIG_HOME: '/x' }, 'darwin'), '/x/palimpsest')
  // The specification has a relative one ignored.
  assert.equal(configDirectory({ HOME: '/h', XDG_CONFIG_HOME: 'x' }, 'linux'), '/h/.config/palimpsest')
  assert.equal(configDirectory({ HOME: '/h' }, 'darwin'), '/h/Library/Application Support/palimpsest')
  assert.equal(configDirectory({ APPDATA: '/a' }, 'win32'), join('/a', 'palimpsest'))
})
