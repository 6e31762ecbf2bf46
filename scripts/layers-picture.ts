import { readDemonstration } from '../src/cli/demo.ts'
import { TextBlame } from '../src/memory/entries/blame-rules.ts'
import { agesPicture } from '../src/web/entry/ages.ts'

/** The entry of the demonstration that the README shows. */
const SHOWN = 'wal'

/** The picture of the README: the ages of a sample entry, drawn as the page of the entry draws them, in several rows. */
export function layersPicture(): string {
  const story = readDemonstration().stories.find(({ key }) => key === SHOWN)
  if (story === undefined) throw new Error(`The demonstration has no entry ${SHOWN}.`)
  const texts = [story]
  for (const step of story.steps) {
    const last = texts.at(-1) ?? story
    if (step.kind === 'revise') texts.push({ ...last, content: last.content.replace(step.replace, () => step.with) })
  }
  const blame = new TextBlame(texts.at(-1) ?? story, texts.length)
  for (const [index, text] of texts.entries().toArray().reverse()) blame.compare(text, index + 1)
  const origins = blame.origins()
  const pieces = blame.pieces.map(({ text }, at) => ({
    size: text.length,
    ordinal: origins[at]?.first ?? 0,
    against: 0,
  }))
  return `${agesPicture(pieces, 6, 300).markup}\n`
}
