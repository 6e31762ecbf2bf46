import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundList } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { callPatiently, expectStatus, newActor, newEntry } from '../support/client.ts'

const KOREAN = [
  ['데이터베이스 연결 풀', '연결 풀이 고갈되면 요청이 대기합니다. 최대 연결 수를 늘리세요.'],
  ['컨테이너의 시간대', '컨테이너에서 시간대가 UTC로 표시됩니다. TZ 환경 변수를 설정하세요.'],
  ['Redis를 캐시로', 'Redis를 캐시로 사용할 때 메모리가 부족하면 키가 제거됩니다.'],
  ['커밋을 되돌리기', '깃에서 커밋을 되돌리려면 revert 명령을 사용합니다.'],
] as const

const CHINESE = [['数据库连接池', '数据库连接超时怎么办：增大连接池。']] as const
const ARABIC = [
  ['كيف تفحص ملفات قاعدة البيانات', 'يفحص الامر كل ملف بعد انقطاع الكهرباء.'],
  ['واجهة الخادم لا تجيب', 'عدد الاتصالات المفتوحة اكبر من الحد.'],
] as const

const INFLECTED = [
  ['Verbindungspool nach einem Abbruch leeren', 'Der Verbindungspool behält tote Einträge.'],
  ['Η σύνδεση με τη βάση δεδομένων λήγει', 'Η σύνδεση κλείνει μετά από δέκα λεπτά.'],
  ['Derleme önbelleği diski dolduruyor', 'Önbellek silinince derleme yeniden başlar.'],
] as const

const app = useApp({}, async () => {
  const { token } = await newActor(app.url)
  for (const [title, content] of [...KOREAN, ...CHINESE, ...ARABIC, ...INFLECTED])
    await newEntry(app.url, token, { title, summary: title, content })
  await newEntry(app.url, token, {
    title: 'TypeError in renderInvoice when the customer has no address',
    summary: 'The template reads a member of undefined.',
    content:
      'TypeError: Cannot read properties of undefined (reading street) at renderInvoice. Check the address first.',
  })
})

const find = async (q: string): Promise<FoundList> =>
  expectStatus(
    await callPatiently<FoundList>(app.url, 'GET', `/api/find?${new URLSearchParams({ q, limit: '10' })}`),
    200,
  )

test('Korean words are found with other particles and endings', async () => {
  for (const [q, title] of [
    ['데이터베이스의 연결이 부족해요', KOREAN[0][0]],
    ['컨테이너 시간대를 바꾸고 싶다', KOREAN[1][0]],
    ['redis 메모리 부족', KOREAN[2][0]],
    ['커밋은 어떻게 되돌리나요', KOREAN[3][0]],
  ] as const) {
    const { items, answerable } = await find(q)
    assert.deepEqual([items[0]?.title, answerable], [title, true], q)
  }
})

test('Arabic words are found with and without the article', async () => {
  for (const [q, title] of [
    ['الملفات والقاعدة', ARABIC[0][0]],
    ['بيانات بالملفات', ARABIC[0][0]],
    ['الواجهة للخادم', ARABIC[1][0]],
    ['اتصال مفتوحة', ARABIC[1][0]],
  ] as const) {
    const { items, answerable } = await find(q)
    assert.deepEqual([items[0]?.title, answerable], [title, true], q)
  }
})

test('a missing word of Chinese is named whole, and the border of two words is none', async () => {
  assert.deepEqual((await find('数据库超时')).missing, [])
  assert.deepEqual((await find('数据库的量子纠缠')).missing, ['库的量子纠缠'])
})

test('a word that no entry has finds words with another ending, and is missing nevertheless', async () => {
  for (const [q, title, word] of [
    ['Verbindungen', INFLECTED[0][0], 'verbindungen'],
    ['οι συνδέσεις', INFLECTED[1][0], 'συνδέσεις'],
    ['önbellekleri', INFLECTED[2][0], 'önbellekleri'],
  ] as const) {
    const { items, missing } = await find(q)
    assert.equal(items[0]?.title, title, q)
    assert.ok(missing.includes(word), `${missing}`)
  }
})

test('the lines and columns of a stack trace are not missing, other numbers are', async () => {
  const q = `TypeError: Cannot read properties of undefined (reading 'street')
    at renderInvoice (/srv/app/invoice.js:4711:23)
    at Object.<anonymous> (/srv/app/main.mjs:815:9)
  File "tools/print.py", line 1213, in main, error 5150`
  const numbersOf = (words: readonly string[]): string[] => words.filter(word => /\d/.test(word))
  const asked = await find(q.replaceAll('\n', ' '))
  assert.match(asked.items[0]?.title ?? '', /renderInvoice/)
  assert.deepEqual(numbersOf(asked.missing), ['5150'])
  // Of a pasted output, the line that an entry quotes is the question.
  const pasted = await find(q)
  assert.match(pasted.items[0]?.title ?? '', /renderInvoice/)
  assert.deepEqual(numbersOf(pasted.missing), [])
})

test('the positions of compilers are not missing, whatever their form', async () => {
  for (const position of [
    'src/invoice.ts(4711,815): error',
    'invoice.cpp(4711): error',
    '/srv/Invoice.java:[4711,815] error',
    'invoice.hs:4711:815-1213: error',
    'file:4711:815: error',
    'Makefile:4711: error',
    './src/invoice.js 4711:815-1213 error',
    '4711:815 error',
    'parse error at 4711:815',
    'error at line 4711, column 815',
    'error at line 4711:815',
    'error (Line: 4711, Col: 815)',
    'File "invoice.ml", line 4711, characters 815-1213: error',
    'Fehler in Zeile 4711, Spalte 815',
    'erreur à la ligne 4711, colonne 815',
    'ошибка в строке 4711, столбец 815',
    '第 4711 行でエラー',
  ]) {
    const { missing } = await find(`${position}: renderInvoice cannot read street`)
    assert.deepEqual(
      missing.filter(word => /\d/.test(word)),
      [],
      position,
    )
  }
  const { missing } = await find('renderInvoice status(4711) on 10.4.0.9:5150 expects 1213 lines, 404 columns')
  assert.deepEqual(missing.filter(word => /\d/.test(word)).sort(), ['1213', '404', '4711', '5150'])
})

test('missing and corrected words are spelled as in the question', async () => {
  const { missing, corrected } = await find('Новый Datenbänke vérbindungspol')
  assert.deepEqual(missing, ['новый', 'datenbänke'])
  assert.deepEqual(corrected, [{ from: 'vérbindungspol', to: 'verbindungspool' }])
})
