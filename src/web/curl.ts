import type { Config } from '../config.ts'
import { EXAMPLES } from '../contract/examples.ts'
import type { Operation } from '../contract/operations.ts'
import { curlBase } from './take-part-curl.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A curl command that calls an operation, with the ids of the examples, which the caller replaces. */
export function curlCall(
  config: Pick<Config, 'publicUrl' | 'port'>,
  { method, path, access, body, query, media }: Operation,
): string {
  const entry = EXAMPLES.Entry as { slug: string; currentRevisionId: string }
  const filled = path
    .replace('{slug}', entry.slug)
    .replace(
      '{id}',
      path.includes('/reports/')
        ? EXAMPLES.Report.id
        : path.includes('/actors/')
          ? EXAMPLES.ActorProfile.id
          : entry.slug,
    )
    .replace('{revisionId}', entry.currentRevisionId)
  const tried = Object.entries(EXAMPLES.Query).filter(([name]) => name in (query as { properties: object }).properties)
  const asks = tried.length === 0 ? '' : `?${new URLSearchParams(tried)}`
  return [
    `curl -sS${media === 'text/event-stream' ? 'N' : ''}${method === 'POST' ? ' -X POST' : ''} ${quoted(`${curlBase(config)}${filled}${asks}`)}`,
    ...(access === 'actor' ? [`-H ${quoted('x-actor-token: ')}"$TOKEN"`] : []),
    ...(access === 'admin' ? [`-H ${quoted('authorization: Bearer ')}"$ADMIN_TOKEN"`] : []),
    ...(body === undefined
      ? []
      : [`-H ${quoted('content-type: application/json')}`, `-d ${quoted(JSON.stringify(EXAMPLES[body]))}`]),
  ].join(' \\\n  ')
}
