/**
 * One step of the schema: DDL of the dialect for both engines, then DDL of one engine alone. An older program must not open a store with a
 * `breaking` step. With any other step old and new programs run side by side.
 */
export type Migration = {
  number: number
  name: string
  breaking: boolean
  shared?: string
  sqlite?: string
  postgres?: string
}
