import type { ObjectSchema } from '../contract/schema.ts'
import { type Tool, writes } from './tool.ts'
import { TOOLS } from './tools.ts'

type Schema = { type: 'object'; [member: string]: unknown }
export type Listed = {
  name: string
  title: string
  description: string
  inputSchema: Schema
  outputSchema?: Schema
  annotations: Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', boolean>
}

/** A schema as models are shown it: the long pattern of an id says no more than its format. */
const shown = (schema: ObjectSchema): Schema =>
  JSON.parse(
    JSON.stringify(schema, (_, value: { format?: string; pattern?: string } | null) => {
      if (value?.format !== 'uuid') return value
      const { pattern, ...rest } = value
      return rest
    }),
  )

/** The tools as the protocol lists them. Nothing is ever destroyed; a write that is repeated is a further record. */
export const listed = (shared: boolean): Listed[] =>
  TOOLS.map((tool: Tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: shown(tool.input),
    ...(tool.output === undefined ? {} : { outputSchema: shown(tool.output) }),
    annotations: {
      readOnlyHint: !writes(tool),
      destructiveHint: false,
      idempotentHint: !writes(tool),
      openWorldHint: shared,
    },
  }))
