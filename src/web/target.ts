/**
 * The path and the query of a request target, unchanged. Removes the scheme and host of an absolute target (RFC 9112, 3.2.2), so that no
 * address made from a target names a host that the caller chose.
 */
export function targetOf(url: string): { path: string; search: string } {
  const origin = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const mark = origin.indexOf('?')
  return mark < 0 ? { path: origin, search: '' } : { path: origin.slice(0, mark), search: origin.slice(mark + 1) }
}

/** The path and the query of a request target as one text. */
export function addressOf(url: string): string {
  const { path, search } = targetOf(url)
  return search === '' ? path : `${path}?${search}`
}

/** An address with the cursor or the offset of its query replaced. */
export function exchanged(
  path: string,
  search: string | URLSearchParams,
  next: Record<string, string | number>,
): string {
  const query = new URLSearchParams(search)
  for (const [name, value] of Object.entries(next)) query.set(name, String(value))
  return `${path}?${query}`
}
