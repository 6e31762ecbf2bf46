/** Whether the Accept field names JSON and does not name HTML. */
export const prefersJson = (accept: string): boolean =>
  accept.includes('application/json') && !accept.includes('text/html')
