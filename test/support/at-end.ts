import { after } from 'node:test'

type End = () => unknown

const ends: End[] = []
after(async () => {
  for (const end of ends.toReversed()) await end()
})

/**
 * Runs `end` after all tests of this process; the last registered function runs first. `after` in a module that several test files share
 * would run at the end of the first file.
 */
export const atEnd = (end: End): void => {
  ends.push(end)
}
