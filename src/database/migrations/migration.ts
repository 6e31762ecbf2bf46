/**
 * One step of the schema: DDL in the words of the dialect for both engines, then what one engine alone has.
 * `breaking` says that an older program must not open a store that has it; a step that is not breaking lets old and new run side by side.
 */
export type Migration = {
  number: number
  name: string
  breaking: boolean
  shared?: string
  sqlite?: string
  postgres?: string
}
