/** Values of Content-Type. All texts are UTF-8. */
export const HTML_TYPE = 'text/html; charset=utf-8'
export const JSON_TYPE = 'application/json; charset=utf-8'
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
export const TEXT_TYPE = 'text/plain; charset=utf-8'
