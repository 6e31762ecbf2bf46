import type { Sending } from '../contract/wire.ts'
import { latestOf, type Model, type ModelActor, type ModelEntry, nameOf, statusOf } from './model.ts'

export type Body = Record<string, unknown>
/** The actors, entries and cursors of one sequence of commands. */
export type Scene = { number: number; actors: ModelActor[]; entries: ModelEntry[]; cursors: Map<string, string> }
/** The model, who reads without a token, and the time of the command in milliseconds. */
export type On = { model: Model; anonymous: ModelActor; at: number }

/**
 * A request, and its effect by the rules: `apply` changes the model and returns the expected answer, or throws a Refusal.
 * It gets the body of the answer for the ids in it. `view` is the part of the answer that the model predicts.
 */
export type Command = {
  method: string
  path: string
  sending: Sending
  apply(on: On, body: Body): unknown
  view(body: Body): unknown
}

/** The token and the body that an actor sends. */
export const as = (actor: ModelActor | undefined, body?: unknown): Sending => ({
  ...(actor === undefined ? {} : { token: actor.token }),
  ...(body === undefined ? {} : { body }),
})
const UNKNOWN_ID = '00000000-0000-0000-0000-000000000000'
/** The id of an existing resource, or an unknown id. */
export const idOf = (entry: { id: string } | undefined): string => entry?.id ?? UNKNOWN_ID
/** Some members of an answer. */
export const only =
  (...names: string[]) =>
  (body: Body): Body =>
    Object.fromEntries(names.map(name => [name, body[name]]))

/** The members of a served entry that the model predicts. */
export const entryView = (body: Body): unknown => ({
  ...only('id', 'title', 'content', 'status', 'revisionCount', 'currentRevisionId', 'updatedAt', 'tags')(body),
  actor: (body.actor as { id: string }).id,
  name: (body.actor as { declared: { name: string | null } }).declared.name,
})
/** The same members of an entry of the model. */
export const expectedEntry = (entry: ModelEntry): unknown => ({
  id: entry.id,
  title: entry.title,
  content: entry.content,
  status: statusOf(entry),
  revisionCount: entry.revisions.length,
  currentRevisionId: latestOf(entry).id,
  updatedAt: new Date(entry.updatedAt).toISOString(),
  tags: entry.tags,
  actor: entry.actor.id,
  name: nameOf(entry.actor),
})
