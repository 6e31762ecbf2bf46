import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answers } from './limit-http.ts'

/** Arguments: the file of answers, and whether to send them `whole`, or only their bodies with type and length. */
const [path = '', extent = ''] = process.argv.slice(2)
const { answers } = JSON.parse(readFileSync(path, 'utf8')) as Answers
const kept = new Map(
  Object.entries(answers).map(([address, { fields, body }]) => {
    const octets = Buffer.from(body)
    const bare = ['content-type', 'application/json; charset=utf-8', 'content-length', String(octets.length)]
    return [address, { fields: extent === 'whole' ? fields : bare, octets }]
  }),
)
const server = createServer((request, response) => {
  const answer = kept.get(request.url ?? '')
  if (answer === undefined) response.writeHead(404).end()
  else response.writeHead(200, answer.fields).end(answer.octets)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
