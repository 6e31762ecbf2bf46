import { useApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { judgingWorld } from '../support/judging.ts'

/** The markup of a page. The page must exist. */
export async function pageOf(base: string, path: string): Promise<string> {
  const answer = await call(base, 'GET', path, { headers: { accept: 'text/html' } })
  expectStatus(answer, 200)
  return answer.text
}

/** The text of a part of a page, without markup. */
export const wordsOf = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Starts a service for the tests of a file, in which entries are judged from given addresses. Reads its pages. */
export function useJudgedPages() {
  const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' })
  const world = judgingWorld(() => app)
  return { app, world, page: (path: string): Promise<string> => pageOf(app.url, path) }
}
