/**
 * Returns the origin and path of the http or https URL of a service, without trailing slashes. Returns undefined for any other text, and
 * for a URL with a user, a password, a query or a fragment.
 */
export function parseServiceUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fine = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return fine && url.search === '' && url.hash === '' ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : undefined
}
