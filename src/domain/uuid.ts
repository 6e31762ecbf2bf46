import { UUID_PATTERN } from '../contract/patterns.ts'

const UUID = new RegExp(UUID_PATTERN)

/** Whether a text is a UUID as the contract takes it: in a path, an id rather than a slug. */
export const isUuid = (text: string): boolean => UUID.test(text)
