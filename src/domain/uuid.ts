import { UUID_PATTERN } from '../contract/patterns.ts'

const UUID = new RegExp(UUID_PATTERN)

/** Whether a text is a UUID in the sense of the contract. In a path such a text is an id, any other text a slug. */
export const isUuid = (text: string): boolean => UUID.test(text)
