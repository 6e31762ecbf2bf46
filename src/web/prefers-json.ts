/** JSON goes to those who ask for it and do not ask for HTML, by their Accept field. */
export const prefersJson = (accept: string): boolean =>
  accept.includes('application/json') && !accept.includes('text/html')
