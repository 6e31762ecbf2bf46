import type * as client from '../../src/client/index.ts'
import type * as inputs from '../../src/contract/inputs.ts'
import type { OPERATIONS, OperationName } from '../../src/contract/operations.ts'
import type * as queries from '../../src/contract/queries.ts'
import type * as resources from '../../src/contract/resources.ts'

/** Compiled, never run: these statements are checked by `npm run check`, and by own-package.test.ts with the types of the built client. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
/** Distinguishes a member that may be left out from one that may be undefined, which assignability alone does not. */
type Exactly<A, B> = Same<A, B> extends true ? Same<keyof A, keyof B> : false
const holds = <_T extends true>(): void => {}

// Expected: every type of the client is that of the contract.
holds<Exactly<client.ActorInput, inputs.ActorInput>>()
holds<Exactly<client.CreateInput, inputs.CreateInput>>()
holds<Exactly<client.RevisionInput, inputs.RevisionInput>>()
holds<Exactly<client.VerifyInput, inputs.VerifyInput>>()
holds<Exactly<client.ContradictInput, inputs.ContradictInput>>()
holds<Exactly<client.RelationInput, inputs.RelationInput>>()
holds<Exactly<client.EntryQuery, queries.EntryQuery>>()
holds<Exactly<client.CursorQuery, queries.CursorQuery>>()
holds<Exactly<client.StreamQuery, queries.StreamQuery>>()
holds<Exactly<client.Actor, resources.Actor>>()
holds<Exactly<client.ActorIssued, resources.ActorIssued>>()
holds<Exactly<client.Entry, resources.Entry>>()
holds<Exactly<client.EntryList, resources.EntryList>>()
holds<Exactly<client.Revision, resources.Revision>>()
holds<Exactly<client.Relation, resources.Relation>>()
holds<Exactly<client.Verification, resources.Verification>>()
holds<Exactly<client.Contradiction, resources.Contradiction>>()
holds<Exactly<client.Evidence, resources.Evidence>>()
holds<Exactly<client.Stats, resources.Stats>>()
holds<Exactly<client.Discovery, resources.Discovery>>()
holds<Exactly<client.Health, resources.Health>>()

// Expected: the same, and members to look at where the contract only says that there may be some.
holds<Exactly<Omit<client.Activity, 'metadata'>, Omit<resources.Activity, 'metadata'>>>()
holds<Same<client.Activity['metadata'], Record<string, unknown>>>()

// Expected: a method for each public operation that answers with JSON, and no other.
type Public = {
  [O in OperationName]: (typeof OPERATIONS)[O] extends { access: 'admin' } | { media: string } ? never : O
}[OperationName]
holds<Same<keyof client.Methods, Public>>()

// Expected: the types of inputs and results.
type Options = client.CallOptions
type Of<M extends keyof client.Methods> = client.Methods[M]
holds<Same<Of<'readEntry'>, (slug: string, options?: Options) => Promise<client.Entry>>>()
holds<Same<Of<'readRevision'>, (slug: string, revisionId: string, options?: Options) => Promise<client.Revision>>>()
holds<Same<Of<'createEntry'>, (input: client.CreateInput, options?: Options) => Promise<client.Published>>>()
holds<Same<Of<'createActor'>, (input?: client.ActorInput, options?: Options) => Promise<client.ActorIssued>>>()
holds<Same<Of<'listActivity'>, (query?: client.CursorQuery, options?: Options) => Promise<client.ActivityList>>>()
type Row<L extends keyof client.Iterators> = ReturnType<client.Iterators[L]> extends AsyncGenerator<infer R> ? R : never
holds<Same<Row<'searchEntries'>, client.Entry>>()
holds<Same<Row<'listRevisions'>, client.Revision>>()
holds<Same<Row<'listActivity'>, client.Activity>>()
holds<Same<Row<'listEvidence'>['kind'], 'verification' | 'contradiction'>>()
holds<Same<Extract<Row<'listEvidence'>, { kind: 'contradiction' }>['sourceEntryId'], string | null | undefined>>()

// Expected: an unknown member, or a missing required one, is an error.
holds<Same<{ title: string; summary: string } extends client.CreateInput ? 'fits' : 'is refused', 'is refused'>>()
holds<Same<'popular' extends client.EntryQuery['sort'] ? 'fits' : 'is refused', 'is refused'>>()
holds<Same<{ changeType: 'EXPAND' } extends client.Edit ? 'fits' : 'is refused', 'is refused'>>()
holds<Same<'previousRevisionId' extends keyof client.Edit ? 'fits' : 'is refused', 'is refused'>>()

// Expected: the code of an error is one of a closed set, which a program can switch over.
holds<Same<'STALE_REVISION' extends client.ClientErrorCode ? 'fits' : 'is refused', 'fits'>>()
holds<Same<'STALE_REVISON' extends client.ClientErrorCode ? 'fits' : 'is refused', 'is refused'>>()
holds<Same<client.ClientError['code'], client.ClientErrorCode>>()
