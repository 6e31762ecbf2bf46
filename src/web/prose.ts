import type { Html } from './html.ts'

/** Renders untrusted Markdown as safe markup. The renderer takes 6 MB of memory and is loaded with the first text that is shown; a service for programs only never loads it. */
export async function prose(content: string): Promise<Html> {
  const { markup } = await import('./markdown.ts')
  return markup(content)
}
