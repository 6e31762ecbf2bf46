import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Bodies } from './limit-http.ts'

const { bodies } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Bodies
const answers = new Map(Object.entries(bodies).map(([path, body]) => [path, Buffer.from(body)]))
const server = createServer((request, response) => {
  const body = answers.get(request.url ?? '')
  if (body === undefined) response.writeHead(404).end()
  else
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
      .end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
