/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The members of a JSON object, of any type; none if the text is not JSON or null. */
export const membersOf = (text: string): Record<string, unknown> =>
  (parseJson(text) as Record<string, unknown> | null | undefined) ?? {}
