import type { Html } from './html.ts'

/** Somebody's Markdown as safe markup. What renders it takes 6 MB of memory and is loaded with the first text that is shown: whoever serves programs alone never needs it. */
export async function prose(content: string): Promise<Html> {
  const { markup } = await import('./markdown.ts')
  return markup(content)
}
