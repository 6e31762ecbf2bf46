type Member = string | number | boolean | null | undefined | readonly Member[] | { readonly [name: string]: Member }

/**
 * The RFC 8785 form of a record of this project: its texts have no lone surrogate, and the names of its members do not begin with a digit.
 * JavaScript then keeps the order of the members, and writes strings and numbers as the RFC does (3.2.2).
 */
export const canonicalRecord = (record: Readonly<Record<string, Member>>): string => JSON.stringify(sorted(record))

function sorted(value: Member): Member {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = value as Readonly<Record<string, Member>>
  const copy: Record<string, Member> = {}
  for (const name of Object.keys(members).sort()) copy[name] = sorted(members[name])
  return copy
}
