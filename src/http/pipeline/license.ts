import type { Config } from '../../config.ts'
import { OPERATIONS, type OperationName } from '../../contract/operations.ts'

type Fields = Record<string, string>

/** Adds a link to the Link field of an answer. */
export const withLink = (fields: Fields, link: string): Fields => ({
  ...fields,
  link: fields.link === undefined ? link : `${fields.link}, ${link}`,
})

/**
 * Adds the Link to the licence of the content (RFC 4946) if CONTENT_LICENSE is set and the answer has content. An answer without
 * `operation` is a page, which shows at least titles.
 */
export const withLicense = (
  fields: Fields,
  { contentLicense }: Pick<Config, 'contentLicense'>,
  operation?: OperationName,
): Fields =>
  contentLicense !== undefined && (operation === undefined || 'licensed' in OPERATIONS[operation])
    ? withLink(fields, `<${contentLicense}>; rel="license"`)
    : fields
