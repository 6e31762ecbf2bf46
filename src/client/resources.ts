/** What is sent to the service and what it answers (interface sections 2 and 4). The built client has these types in plain TypeScript. */
export type * from '../contract/inputs.ts'
export type * from '../contract/queries.ts'
export type * from '../contract/resources.ts'
