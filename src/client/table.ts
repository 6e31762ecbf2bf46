import {
  type BodyOf,
  OPERATIONS as CONTRACT,
  type Operation,
  type OperationName,
  type QueryOf,
} from '../contract/operations.ts'
import { NoQuery } from '../contract/queries.ts'
import type { NAMED_RESOURCES } from '../contract/resources.ts'
import type { Static } from '../contract/schema.ts'
import type { Activity, Change, Contradiction, Entry, Relation, Revision, Verification } from './resources.ts'
import type { CallOptions } from './settings.ts'

/** The public operations that answer with JSON. The built client has this module as plain data and types, without the contract. */
type PublicName = {
  [O in OperationName]: (typeof CONTRACT)[O] extends { access: 'admin' } | { media: string } ? never : O
}[OperationName]

/** A row of evidence, and which of the two kinds it is. */
export type EvidenceItem = (Verification & { kind: 'verification' }) | (Contradiction & { kind: 'contradiction' })

/** The type of the items of each list. */
type ItemOf = {
  EntryList: Entry
  RevisionList: Revision
  RelationList: Relation
  ActivityList: Activity
  Evidence: EvidenceItem
  ActorProfile: Activity
  ChangeList: Change
}
/** The names of these types. */
export const ITEMS: Readonly<Record<keyof ItemOf, string>> = {
  EntryList: 'Entry',
  RevisionList: 'Revision',
  RelationList: 'Relation',
  ActivityList: 'Activity',
  Evidence: 'EvidenceItem',
  ActorProfile: 'Activity',
  ChangeList: 'Change',
}

type Row<N extends PublicName> = (typeof CONTRACT)[N]
type ParamsIn<Path> = Path extends `${string}{${string}}${infer Rest}` ? [name: string, ...ParamsIn<Rest>] : []
/** One argument; optional if all its members are; none if it has no members. */
type InputOf<N extends PublicName> =
  Row<N> extends { body: string }
    ? object extends BodyOf<N>
      ? [input?: BodyOf<N>]
      : [input: BodyOf<N>]
    : keyof QueryOf<N> extends never
      ? []
      : object extends QueryOf<N>
        ? [query?: QueryOf<N>]
        : [query: QueryOf<N>]
type ArgumentsOf<N extends PublicName> = [...ParamsIn<Row<N>['path']>, ...InputOf<N>, options?: CallOptions]
type ListName = { [N in PublicName]: Row<N>['response'] extends keyof ItemOf ? N : never }[PublicName]

/** Every public operation of the service, under its name. All of them reject with a ClientError. */
export type Methods = {
  [N in PublicName]: (...given: ArgumentsOf<N>) => Promise<Static<(typeof NAMED_RESOURCES)[Row<N>['response']]>>
}

/** Every list of the service, row by row over all of its pages. A query's limit is the size of a page (50 if left out). */
export type Iterators = {
  [N in ListName]: (
    ...given: ArgumentsOf<N>
  ) => AsyncGenerator<Row<N>['response'] extends keyof ItemOf ? ItemOf[Row<N>['response']] : never, void, undefined>
}

const inputOf = ({ body, query }: Operation): 'body' | 'query' | 'none' =>
  body !== undefined ? 'body' : query === NoQuery ? 'none' : 'query'
const PUBLIC = (Object.entries(CONTRACT) as [PublicName, Operation][]).filter(
  ([, { access, media }]) => access !== 'admin' && media === undefined,
)

/** How each operation is called. */
export const OPERATIONS = Object.fromEntries(
  PUBLIC.map(([name, operation]) => {
    const { method, path, access, personal, cost } = operation
    const token = access === 'actor' || personal === true
    return [name, { method, path, token, charged: cost !== 'free', input: inputOf(operation) }]
  }),
) as Readonly<
  Record<
    PublicName,
    Pick<Operation, 'method' | 'path'> & { token: boolean; charged: boolean; input: ReturnType<typeof inputOf> }
  >
>

/** The lists that the client iterates row by row. */
export const LISTS = PUBLIC.flatMap(([name, { response }]) => (response in ITEMS ? [name] : [])) as ListName[]

export { VERSION } from '../contract/version.ts'
