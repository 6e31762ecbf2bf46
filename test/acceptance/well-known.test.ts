import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectProblem, expectStatus } from '../support/client.ts'

const DAY = 86_400_000
let app: TestApp
let told: TestApp
before(async () => {
  app = await startApp()
  told = await startApp({ SECURITY_CONTACT: 'mailto:security@example.org', PUBLIC_URL: 'https://memory.example' })
})
after(async () => {
  await app.close()
  await told.close()
})

type Link = { href: string; type: string }
type Catalog = { linkset: { anchor: string; 'service-desc': Link[] }[] }
const catalogOf = async (at: TestApp) => {
  const answer = await call(at.url, 'GET', '/.well-known/api-catalog')
  expectStatus(answer, 200)
  assert.equal(
    answer.headers.get('content-type'),
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  )
  return { answer, catalog: JSON.parse(answer.text) as Catalog }
}

test('the API catalog names the interface and its descriptions, all of which are there', async () => {
  const { answer, catalog } = await catalogOf(app)
  assert.equal(answer.headers.get('link'), '</.well-known/api-catalog>; rel="api-catalog"')
  const [context, ...others] = catalog.linkset
  assert.equal(others.length, 0)
  const links = Object.values(context ?? {})
    .filter(value => typeof value !== 'string')
    .flat()
  assert.ok(links.length >= 5)
  for (const { href, type } of links) {
    const found = await call(app.url, 'GET', href)
    expectStatus(found, 200)
    assert.ok(found.headers.get('content-type')?.startsWith(type), `${href} ${type}`)
  }
  const etag = answer.headers.get('etag') ?? ''
  const again = await call(app.url, 'GET', '/.well-known/api-catalog', { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
  const head = await call(app.url, 'HEAD', '/.well-known/api-catalog')
  assert.equal(head.headers.get('link'), answer.headers.get('link'))
  const { catalog: absolute } = await catalogOf(told)
  assert.equal(absolute.linkset[0]?.anchor, 'https://memory.example/api/discovery')
  assert.equal(absolute.linkset[0]?.['service-desc'][0]?.href, 'https://memory.example/openapi.json')
})

test('security.txt is there where a contact is set, and expires in the time to come', async () => {
  expectProblem(await call(app.url, 'GET', '/.well-known/security.txt'), 404, 'ROUTE_NOT_FOUND')
  const read = async () => {
    const answer = await call(told.url, 'GET', '/.well-known/security.txt')
    expectStatus(answer, 200)
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    return answer.text
  }
  const text = await read()
  assert.match(
    text,
    /^Contact: mailto:security@example\.org\nExpires: .+\nPreferred-Languages: en\nCanonical: https:\/\/memory\.example\/\.well-known\/security\.txt\n$/,
  )
  const expiresOf = (one: string): number => Date.parse(/^Expires: (.+)$/m.exec(one)?.[1] ?? '')
  const left = expiresOf(text) - Date.now()
  assert.ok(left > 170 * DAY && left < 365 * DAY, String(left))
  assert.equal(await read(), text)
  told.advance(200 * DAY)
  assert.ok(expiresOf(await read()) - expiresOf(text) >= 199 * DAY)
})
