import Negotiator from 'negotiator'

/** Maximum number of characters of an Accept field that are read. Browsers send about 150. */
const CHARACTERS_MAX = 1_000

/**
 * The media type that an Accept field prefers (RFC 9110, 12.5.1): the type with the highest weight; of equal weights the more specific
 * type, then the one that the field names first. Without a field, or if the field accepts none of `types`, the first of `types`.
 */
export function acceptedType<Type extends string>(accept: string, types: readonly [Type, ...Type[]]): Type {
  const [first] = types
  if (accept === '') return first
  const headers = { accept: accept.slice(0, CHARACTERS_MAX) }
  return (new Negotiator({ headers }).mediaType(types) as Type | undefined) ?? first
}
