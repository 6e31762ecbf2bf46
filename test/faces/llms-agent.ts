import assert from 'node:assert/strict'
import type { Activity } from '../../src/contract/resources.ts'
import { type OpenFace, rowOf } from './face.ts'
import { bodyOf, type Guide, type GuideCall, readGuide } from './llms-guide.ts'

type Json = Record<string, unknown>
type Sending = { call: GuideCall; path?: string; body?: Json }

/** An agent that has the address of one text, /llms.txt, and follows that text. */
export const openLlmsAgent: OpenFace = async base => {
  const spent = { calls: 0, bytes: 0 }
  let token = ''
  let guide: Guide
  let fields = { type: '', token: '', key: '', id: '', revision: '' }

  const fetchCounted = async (path: string, init: RequestInit = {}): Promise<Response> => {
    spent.calls += 1
    spent.bytes += Buffer.byteLength(String(init.body ?? ''))
    return fetch(`${base}${path}`, init)
  }
  const readCounted = async (answer: Response): Promise<string> => {
    const bytes = Buffer.from(await answer.arrayBuffer())
    spent.bytes += bytes.length
    return bytes.toString()
  }
  const send = async ({ call: { method, path: described }, path = described, body }: Sending): Promise<Json> => {
    const key: Record<string, string> = body === undefined ? {} : { [fields.key]: crypto.randomUUID() }
    const acting: Record<string, string> = token === '' || body === undefined ? {} : { [fields.token]: token }
    const headers = { ...(body === undefined ? {} : { 'content-type': fields.type }), ...key, ...acting }
    const answer = await fetchCounted(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const json = JSON.parse(await readCounted(answer)) as Json
    if (!answer.ok && answer.status !== 409) throw new Error(`${method} ${path}: ${answer.status} ${json.error}`)
    return json
  }
  /** A call on an entry. Its id replaces the placeholder in the path. */
  const sendTo = (call: GuideCall, entryId: string, body?: Json): Promise<Json> =>
    send({ call, path: call.path.replace(/\{\w+\}/, entryId), ...(body && { body }) })
  /** A call with a query: the values of the example are put in the place of those that it shows. */
  const ask = (call: GuideCall, query: Record<string, string>): Promise<Json> => {
    const url = new URL(call.path, base)
    for (const [name, value] of Object.entries(query)) {
      assert.ok(url.searchParams.has(name), `${call.path} is not said to take ${name}`)
      url.searchParams.set(name, value)
    }
    return send({ call, path: url.pathname + url.search })
  }
  const memberOf = (json: Json, name: string): string => String(json[name])

  return {
    inOrder: true,
    cost: () => spent,
    async discover() {
      const text = await readCounted(await fetchCounted('/llms.txt'))
      guide = readGuide(text)
      const members = guide.find('what an entry has', /Entry has ([\w, ]+)/).split(', ')
      fields = {
        type: guide.find('the type of bodies', /content-type: ([\w/+-]+)/),
        token: guide.find('how a token is sent', /send it as ([\w-]+) on writes/),
        key: guide.find('how a write is repeated', /Send every POST with ([\w-]+): a new random UUID/),
        id: members.find(name => name === 'id') ?? '',
        revision: members.find(name => /revision/i.test(name)) ?? '',
      }
      return text
    },
    async search(word) {
      const call = guide.callTo('search')
      const [place = ''] = /\w+(?==words)/.exec(call.path) ?? []
      const found = await ask(call, { [place]: word })
      return (found.items as Json[]).map(entry => memberOf(entry, fields.id))
    },
    async createActor(declaredName) {
      const call = guide.callTo('get a token')
      const issued = await send({ call, body: bodyOf(call, { declaredName }) })
      assert.match(call.gives, /"token"/)
      token = memberOf(issued, 'token')
    },
    async publish(text) {
      const { title, summary } = text
      const similar = (await ask(guide.callTo('before publishing'), { title, summary })).items as Json[]
      assert.ok(similar.every(entry => entry.title !== title))
      const call = guide.callTo('publish')
      const entry = await send({ call, body: bodyOf(call, text) })
      return { entryId: memberOf(entry, fields.id), revisionId: memberOf(entry, fields.revision) }
    },
    async read(entryId) {
      const entry = await sendTo(guide.callTo('read'), entryId)
      return { revisionId: memberOf(entry, fields.revision), content: memberOf(entry, 'content') }
    },
    async revise({ entryId, revisionId }, text, rationale) {
      const call = guide.callTo('revise')
      const changeType = guide.find('the type of a change that fixes an error', /\b([A-Z]+) fixes an error/)
      const body = bodyOf(call, { ...text, changeType, rationale }, { [fields.revision]: revisionId })
      const { error, ...entry } = await sendTo(call, entryId, body)
      return error === undefined
        ? { revisionId: memberOf(entry, fields.revision) }
        : { refused: memberOf(error as Json, 'code') }
    },
    async verify({ entryId, revisionId }, rationale) {
      const call = guide.callTo('verify')
      const body = bodyOf(call, { revisionId, result: 'SUPPORTED', confidence: 0.75, rationale })
      await sendTo(call, entryId, body)
    },
    async contradict({ entryId, revisionId }, rationale) {
      const call = guide.callTo('contradict')
      await sendTo(call, entryId, bodyOf(call, { revisionId, rationale }))
    },
    async relate(sourceEntryId, targetEntryId, rationale) {
      const call = guide.callTo('relate')
      const relationType = guide.find('how what belongs together is related', /\b([A-Z]+) belongs together/)
      await send({ call, body: bodyOf(call, { sourceEntryId, targetEntryId, relationType, rationale }) })
    },
    async watch({ entryId, after, signal }, take) {
      const { path } = guide.callTo('watch', 'server-sent events')
      const parameter = guide.find('where a stream begins', /\?(\w+)=sequence\)/)
      const { body } = await fetchCounted(`${path}?${parameter}=${after}`, { signal })
      let rest = ''
      for await (const text of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
        spent.bytes += Buffer.byteLength(text)
        const events = (rest + text).split('\n\n')
        rest = events.pop() ?? ''
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1]
          const row = data && rowOf(JSON.parse(data) as Activity, entryId)
          if (row && (await take(row))) return
        }
      }
      throw new Error('the stream ended')
    },
    close: async () => {},
  }
}
