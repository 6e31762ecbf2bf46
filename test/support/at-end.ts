import { after } from 'node:test'

type End = () => unknown

const ends: End[] = []
after(async () => {
  for (const end of ends.toReversed()) await end()
})

/**
 * Runs `end` after all tests of this process, the newest first. `after` in a module that several test files share would run at the end of
 * the first of them.
 */
export const atEnd = (end: End): void => {
  ends.push(end)
}
