import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from '../../bench/numbers.ts'
import type { Entry } from '../../bench/search/collection.ts'

/** A subject as one person found it out: a question about it, and the parts of entries that answer it. */
type Subject = Record<'question' | 'title' | 'summary' | 'cause' | 'remedy' | 'check' | 'tags', string>

/** An entry that repeats the words of a question, and the question. */
export type Stuffed = { question: string; entry: Entry; fitting: ReadonlySet<string> }

const [names = '', ...lines] = readFileSync(join(import.meta.dirname, 'stuffed-subjects.tsv'), 'utf8')
  .trim()
  .split('\n')
const SUBJECTS = lines.map(line => {
  const values = line.split('\t')
  return Object.fromEntries(names.split('\t').map((name, at) => [name, values[at]])) as Subject
})

const TITLE_MAX = 180
const SUMMARY_MAX = 500
const TAGS_MAX = 8

type Text = { title: string; summary: string; content: string; tags?: string }
const entryOf = (id: string, { title, summary, content, tags = '' }: Text): Entry => ({
  id,
  title: title.slice(0, TITLE_MAX),
  summary: summary.slice(0, SUMMARY_MAX),
  content,
  tags: [...new Set(tags.split(/[, ]/).filter(tag => tag !== ''))].slice(0, TAGS_MAX),
})

/** The forms in which honest authors wrote the same finding. */
const FORMS: ((one: Subject, other: Subject, at: number) => Text)[] = [
  one => ({ ...one, content: `${one.cause} ${one.remedy}\n\nChecked: ${one.check}` }),
  one => ({
    ...one,
    title: `How to: ${one.title}`,
    content: `1. ${one.cause}\n2. ${one.remedy}\n3. ${one.check}\n\nStep 2 is the one that helps.`,
  }),
  (one, other) => ({
    ...one,
    summary: `Found after a day of looking in the wrong place. ${one.summary}`,
    content: `I asked: ${one.question}?\n\n${one.cause} I first tried something else (${other.remedy}), which did nothing. ${one.remedy}`,
  }),
  one => ({
    ...one,
    title: `${one.title}: overview`,
    content: `| what | |\n| - | - |\n| seen | ${one.title} |\n| cause | ${one.cause} |\n| remedy | ${one.remedy} |\n| check | ${one.check} |`,
  }),
  one => ({ title: one.question, summary: one.summary, tags: one.tags, content: one.remedy }),
  (one, other, at) => ({
    ...one,
    title: `Report of an incident: ${one.title}`,
    content: [
      `On day ${1 + (at % 28)} of the month two of us were called at ${at % 24}:10. ${one.title}.`,
      `The first guess was wrong: "${other.title}" looks alike, and its remedy changed nothing.`,
      `${one.cause} We saw it in the ${at % 2 ? 'log' : 'graphs'} of the hour before.`,
      `${one.remedy} It took ${10 + (at % 50)} minutes. ${one.check}`,
      `What we do now: the check is part of the list for each week, and the note hangs next to the door.`,
    ].join('\n\n'),
  }),
]

const honestId = (at: number, form: number): string => `honest-${at}-${form}`
const subjectAt = (at: number): Subject => SUBJECTS[at % SUBJECTS.length] as Subject

/** 300 honest entries: each of 50 subjects in six forms. */
export const honestEntries = (): Entry[] =>
  SUBJECTS.flatMap((one, at) =>
    FORMS.map((form, number) => entryOf(honestId(at, number), form(one, subjectAt(at + 7 + number), at))),
  )

const times = (text: string, count: number): string => Array.from({ length: count }, () => text).join(' ')
const AD = 'Visit our shop for the best offers of the year. Order today and get two for the price of one.'

/** Ways to repeat the words of a question, by a seed. */
type Trick = (one: Subject, random: () => number) => Text
const shuffled = (text: string, random: () => number): string =>
  text
    .split(' ')
    .map(word => ({ word, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ word }) => word)
    .join(' ')

const TRICKS: Trick[] = [
  ({ question }) => ({ title: question, summary: question, tags: question, content: times(`${question}.`, 40) }),
  ({ question }) => ({
    title: question,
    summary: times(question, 3),
    tags: question,
    content: `${AD}\n\n${times(question, 20)}`,
  }),
  ({ question }, random) => ({
    title: question,
    summary: shuffled(question, random),
    tags: question,
    content: Array.from({ length: 60 }, () => shuffled(question, random)).join('\n'),
  }),
  ({ question, title }) => ({
    title: `${question}? ${title}`,
    summary: `${question}: ${title}`,
    tags: question,
    content: times(`If you ask ${question}, our guide on ${question} tells all about ${title}.`, 12),
  }),
  ({ question }) => ({
    title: times(question, 3),
    summary: times(question, 5),
    tags: question,
    content: `${AD} ${question}`,
  }),
]

const CLOSED_TRICKS: Trick[] = [
  ({ question }) => ({ title: question, summary: question, tags: question, content: `${question}. ${AD}` }),
  ({ question, title, summary }) => ({
    title,
    summary: `${summary} ${question}`,
    tags: question,
    content: times(AD, 3),
  }),
  ({ question }, random) => ({
    title: question,
    summary: 'Answers to all questions',
    tags: question,
    content: SUBJECTS.map(other => shuffled(`${other.question} ${question}`, random)).join('\n'),
  }),
  ({ question }) => ({
    title: question,
    summary: AD,
    tags: question,
    content: `${AD}\n\n\`\`\`\n${times(`${question}\n`, 30)}\`\`\``,
  }),
  ({ question }) => ({
    title: question,
    summary: question,
    tags: question,
    content: question
      .split(' ')
      .map(word => times(`${word} ${word}s ${word}ed ${word}ing`, 10))
      .join(' '),
  }),
]

const STUFFED = 30

/** 30 entries, each about the question of another subject; the closed ones use other tricks, about the last subjects. */
export function stuffedEntries(set: 'open' | 'closed'): Stuffed[] {
  const random = seeded(set === 'open' ? 1 : 2)
  const tricks = set === 'open' ? TRICKS : CLOSED_TRICKS
  const from = set === 'open' ? 0 : SUBJECTS.length - STUFFED
  return Array.from({ length: STUFFED }, (_, number) => {
    const one = subjectAt(from + number)
    const trick = tricks[number % tricks.length] as Trick
    return {
      question: one.question,
      entry: entryOf(`stuffed-${set}-${number}`, trick(one, random)),
      fitting: new Set(FORMS.map((_, form) => honestId(from + number, form))),
    }
  })
}
