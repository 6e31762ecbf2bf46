import type { Text } from '../../corpus.ts'
import { pick, seeded } from '../../numbers.ts'
import { openHttp, requestText } from '../http.ts'
import type { Connection, ConnectOptions, Situation } from '../order.ts'

/** Number of pages that one connection revises in turn. */
const OWN = 8
const FORM = 'content-type: application/x-www-form-urlencoded\r\n'
/** The token of a session that is not signed in. */
const TOKEN = '+\\'

type Page = { revisions?: { revid: number }[] }
type Said = {
  error?: { info: string }
  edit?: { result: string; newrevid?: number }
  query?: { pages?: Page[]; recentchanges?: object[]; search?: object[] }
}

/** Uses the action API without signing in. */
export async function connect(situation: Situation, options: ConnectOptions): Promise<Connection> {
  const { urls, addresses, words = [] } = situation
  const { number, next, operation } = options
  const http = openHttp(urls[0] as string)
  const random = seeded(number)
  const ask = async (text: string): Promise<Said> => {
    const answer = await http.send(text)
    const said = answer.status === 200 ? (JSON.parse(answer.text()) as Said) : undefined
    if (said === undefined || said.error !== undefined) throw new Error(`${answer.status}: ${answer.text()}`)
    return said
  }
  const query = (parameters: Record<string, string>): Promise<Said> =>
    ask(requestText('GET', `/api.php?${form({ action: 'query', ...parameters })}`))
  const read = async (title: string): Promise<number> => {
    const said = await query({
      prop: 'revisions',
      rvprop: 'ids|timestamp|user|content',
      rvslots: 'main',
      titles: title,
    })
    const revision = said.query?.pages?.[0]?.revisions?.[0]
    if (revision === undefined) throw new Error(`There is no page ${title}.`)
    return revision.revid
  }
  const edit = async (parameters: Record<string, string>): Promise<number> => {
    const { edit } = await ask(
      requestText('POST', '/api.php', FORM, form({ action: 'edit', ...parameters, token: TOKEN })),
    )
    if (edit?.result !== 'Success') throw new Error(`An edit was answered ${JSON.stringify(edit)}`)
    return edit.newrevid ?? 0
  }
  const own: { title: string; base: number }[] = []
  for (let at = 0; operation === 'U' && at < OWN; at++) {
    const title = addresses[number * OWN + at] ?? ''
    own.push({ title, base: await read(title) })
  }
  const mark = Date.now()
  let turn = 0
  return {
    async R() {
      await read(pick(random, addresses))
    },
    async L() {
      await query({ list: 'recentchanges', rcprop: 'title|ids|timestamp|user|comment', rclimit: '20' })
    },
    async S() {
      await query({ list: 'search', srsearch: pick(random, words), srlimit: '20' })
    },
    async W() {
      await edit({ title: `N${mark}-${number}-${turn++}`, text: wikitext(next()), createonly: '1' })
    },
    async U() {
      const page = own[turn++ % OWN] as (typeof own)[number]
      page.base = await edit({ title: page.title, text: wikitext(next()), baserevid: String(page.base) })
    },
    close: http.close,
  }
}

const form = (parameters: Record<string, string>): string =>
  String(new URLSearchParams({ ...parameters, format: 'json', formatversion: '2' }))

const wikitext = ({ title, summary, content }: Text): string => `${title}\n\n${summary}\n\n${content}`
