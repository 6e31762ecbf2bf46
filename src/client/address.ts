/** The origin and path of the http or https address of a service, without a slash at its end; undefined if it has a user, a query or a fragment. */
export function parseServiceUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fine = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return fine && url.search === '' && url.hash === '' ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : undefined
}
