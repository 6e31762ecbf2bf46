import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundList } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { callPatiently, expectStatus, newActor, newEntry } from '../support/client.ts'

const app = useApp()

const titlesFor = async (q: string): Promise<string[]> => {
  const found = await callPatiently<FoundList>(app.url, 'GET', `/api/find?${new URLSearchParams({ q, limit: '10' })}`)
  return expectStatus(found, 200).items.map(({ title }) => title)
}

test('an entry with all words of a short question comes before entries with one of them many times', async () => {
  const { token } = await newActor(app.url)
  const long = 'The manual describes options, signals, limits and files of the program in detail. '.repeat(20)
  const both = await newEntry(app.url, token, {
    title: 'Manual of the furnace',
    summary: 'All of its parts.',
    content: `${long}Its dampers are adjusted twice a year. ${long}Thermocouples age.`,
  })
  for (let n = 0; n < 3; n++) {
    const title = `Thermocouple ${n}`
    await newEntry(app.url, token, { title, summary: 'A thermocouple.', content: 'Thermocouple, thermocouple.' })
    await newEntry(app.url, token, { title: `Damper ${n}`, summary: 'A damper.', content: 'Damper, damper.' })
  }
  for (const q of ['damper thermocouple', 'thermocouples, dampers']) {
    const [best, ...others] = await titlesFor(q)
    assert.deepEqual([best, others.length], [both.title, 6], q)
  }
})

test('an error at the end of a long trace finds its entry, as one at the beginning does', async () => {
  const { token } = await newActor(app.url)
  const { title } = await newEntry(app.url, token, {
    title: 'The gasket leaks',
    summary: 'A leaking gasket is replaced while cold.',
    content: 'Clean the flange first.',
  })
  const names = ['alpha', 'bravo', 'delta', 'gamma', 'kappa', 'omega', 'sigma']
  const frames = names.flatMap(one => names.map(other => `  at ${one}_${other} (${other}${one}.js)`)).join('\n')
  for (const q of [`Gasket leaks\n${frames}`, `Traceback:\n${frames}\ngasket leaks`]) {
    assert.equal((await titlesFor(q))[0], title, q.slice(0, 20))
  }
})

test('the entry that is a message comes before a longer message that contains its words', async () => {
  const { token } = await newActor(app.url)
  const own = "Il tipo 'cfg' non è assegnabile al tipo 'Nome'."
  const longer = "La proprietà 'size' nel tipo 'users' non è assegnabile al tipo 'Fattura'."
  for (const title of [own, longer]) await newEntry(app.url, token, { title, summary: 'TypeScript', content: title })
  for (let n = 0; n < 4; n++) {
    const title = `Il tipo restituito della funzione numero ${n} non è stato trovato.`
    await newEntry(app.url, token, { title, summary: 'TypeScript', content: title })
  }
  for (const place of ['lib/store.ts:12:3 - ', 'src/app.ts(267,50): ', '']) {
    const q = `${place}Il tipo 'Ordine' non è assegnabile al tipo 'Cliente'.`
    assert.equal((await titlesFor(q))[0], own, q)
  }
})
