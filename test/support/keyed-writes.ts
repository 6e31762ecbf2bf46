import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Entry } from '../../src/contract/resources.ts'
import { type Answer, call, expectStatus, newActor } from './client.ts'

const PATIENCE = 60_000
const PAUSE = 20

export type KeyedWrite = { path: string; key: string; body: object; token?: string }

/** An entry with a unique title, which can be sent any number of times. */
export const keyedEntry = (title: string, token: string): KeyedWrite => ({
  path: '/api/entries',
  key: randomUUID(),
  body: { title, content: `Content of ${title}`, summary: 'A summary', tags: ['keyed'] },
  token,
})

export const sendKeyed = (url: string, { path, key, body, token }: KeyedWrite): Promise<Answer> =>
  call(url, 'POST', path, { body, headers: { 'idempotency-key': key }, ...(token === undefined ? {} : { token }) })

/** Sends a write to the current `url` until its outcome is known. */
export async function sendUntilDone(url: () => string, write: KeyedWrite): Promise<Answer> {
  const until = performance.now() + PATIENCE
  for (;;) {
    const answer = await sendKeyed(url(), write).catch(() => undefined)
    const passing = answer === undefined || answer.status === 503 || answer.headers.get('retry-after') === '1'
    if (answer !== undefined && !passing) return answer
    if (performance.now() > until) throw new Error(`${write.path} was not done: ${answer?.text ?? 'no answer'}`)
    await setTimeout(PAUSE)
  }
}

export type KeyedWriters = {
  /** The number of writes that were answered so far, and of those that received a stored answer. */
  done(): number
  replayed(): number
  /** Waits for the writes in progress. Returns the titles that were written. */
  stop(): Promise<string[]>
}

/** Starts `count` actors. Each publishes one entry after another, and repeats each write until it is done. */
export async function startKeyedWriters(url: () => string, count: number, label: string): Promise<KeyedWriters> {
  const titles: string[] = []
  let [going, replayed] = [true, 0]
  const write = async (token: string, writer: number): Promise<void> => {
    for (let n = 0; going; n++) {
      const title = `${label} ${writer} ${n}`
      const answer = await sendUntilDone(url, keyedEntry(title, token))
      expectStatus(answer, 201)
      titles.push(title)
      if (answer.headers.has('idempotency-replayed')) replayed += 1
    }
  }
  const actors = await Promise.all(Array.from({ length: count }, () => newActor(url())))
  const writing = Promise.all(actors.map(({ token }, writer) => write(token, writer)))
  writing.catch(() => {})
  return {
    done: () => titles.length,
    replayed: () => replayed,
    async stop() {
      going = false
      await writing
      return titles
    },
  }
}

/** The titles of all entries, newest first. */
export async function listTitles(url: string): Promise<string[]> {
  const titles: string[] = []
  for (let offset = 0; ; offset += 50) {
    const page = await call<{ items: Entry[] }>(url, 'GET', `/api/entries?limit=50&offset=${offset}`)
    const { items } = expectStatus(page, 200)
    titles.push(...items.map(({ title }) => title))
    if (items.length < 50) return titles
  }
}
