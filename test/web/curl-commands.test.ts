import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spawn } from '../support/children.ts'
import { missing } from '../support/programs.ts'
import { useJudgedPages } from './page-text.ts'

const { app, world, page } = useJudgedPages()
const NO_CURL = missing('curl')

/** The commands that a page shows, as a person would copy them. */
async function commandsOn(path: string): Promise<string> {
  const [, shown = ''] =
    /<section class="curl"[\s\S]*?<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/.exec(await page(path)) ?? []
  const text = shown.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')
  // The port of the test is not known to the configuration.
  return text.replaceAll('http://127.0.0.1:0', app.url)
}

async function run(commands: string): Promise<Record<string, unknown>> {
  const shell = spawn('sh', ['-euc', commands], { stdio: ['ignore', 'pipe', 'pipe'] })
  const out: Buffer[] = []
  const complaints: Buffer[] = []
  shell.stdout?.on('data', (part: Buffer) => out.push(part))
  shell.stderr?.on('data', (part: Buffer) => complaints.push(part))
  await new Promise(resolve => shell.on('close', resolve))
  assert.equal(Buffer.concat(complaints).toString(), '', commands)
  return JSON.parse(Buffer.concat(out).toString()) as Record<string, unknown>
}

test('the commands of each page that writes do in a shell what its form does', { skip: NO_CURL }, async () => {
  const published = await run(await commandsOn('/publish'))
  assert.equal(published.title, 'The subject')
  const at = `/entries/${published.slug}`
  const revised = await run(await commandsOn(`${at}/revise`))
  assert.deepEqual([revised.title, revised.revisionCount], ['The whole new title', 2])
  const verified = await run(await commandsOn(`${at}/verify`))
  assert.deepEqual([verified.revisionId, verified.result], [revised.currentRevisionId, 'SUPPORTED'])
  const contradicted = await run(await commandsOn(`${at}/contradict`))
  assert.match(JSON.stringify(contradicted), new RegExp(`"status":201.*"revisionId":"${revised.currentRevisionId}"`))
  const quoting = await run(await commandsOn(`${at}/contradict?quote=The+whole+new+title`))
  assert.match(JSON.stringify(quoting), /"status":201/)
  const other = await world.publish(await world.voice())
  const relate = (await commandsOn(`${at}/relate`)).replace('id of the other entry', other.id)
  assert.equal((await run(relate)).targetEntryId, other.id)
})
