import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import MarkdownIt from 'markdown-it'

const USAGE = `Usage: npm run docs:site -- --to DIRECTORY

Makes a static site of all documents in a directory that does not exist yet. The pages load nothing from other hosts and run no script.
`
const ROOT = join(import.meta.dirname, '..')
const STYLES = ['base.css', 'components.css', 'layout.css', 'print.css', '../../../scripts/site.css']
/** The documents of the site in the order of the navigation. The remaining ones are linked from these. */
const NAVIGATION: Record<string, readonly string[]> = {
  Start: ['README.md', 'docs/cli.md', 'docs/commands.md', 'docs/mcp.md', 'docs/client.md'],
  Understand: ['docs/evidence.md', 'docs/log.md', 'ARCHITECTURE.md', 'docs/decisions/README.md'],
  Reference: ['docs/api.md', 'docs/problems.md', 'docs/configuration.md', 'CHANGELOG.md'],
  Operate: [
    'docs/operating.md',
    'docs/upgrading.md',
    'docs/backups.md',
    'docs/mirrors.md',
    'docs/scaling.md',
    'docs/reliability.md',
    'docs/performance.md',
    'deploy/README.md',
  ],
  'Take part': ['CONTRIBUTING.md', 'docs/extending.md', 'test/README.md', 'SECURITY.md'],
}
const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { repository: { url: string } }
/** The address of files that are not pages of the site. */
const SOURCE = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'test/README.md', 'bench/README.md'], {
  cwd: ROOT,
}).sort()
const PICTURES = globSync(['docs/**/*.{png,svg}'], { cwd: ROOT })

/** The path of the page of a document: `README.md` is the index of its folder. */
const pageOf = (document: string): string =>
  document.replace(/(?:README)?\.md$/, end => (end === '.md' ? '.html' : 'index.html'))

/** The id of a heading, made like on GitHub, so that links between documents work on both. */
const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** The address on the site of the target of a link. */
function addressOf(document: string, target: string): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return target
  const [path = '', anchor] = target.split('#')
  const file = join(dirname(document), path)
  const suffix = anchor === undefined ? '' : `#${anchor}`
  const from = dirname(pageOf(document))
  if (DOCUMENTS.includes(file)) return `${relative(from, pageOf(file))}${suffix}`
  if (PICTURES.includes(file)) return relative(from, file)
  return `${SOURCE}${file}${suffix}`
}

/** The HTML of a document and its title. */
function render(document: string): { title: string; body: string } {
  const markdown = new MarkdownIt({ html: false, linkify: false })
  const source = readFileSync(join(ROOT, document), 'utf8').replaceAll(/^<!--.*-->$/gm, '')
  const tokens = markdown.parse(source, {})
  const used = new Map<string, number>()
  let title = document
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = (tokens[index + 1]?.children ?? []).map(({ content }) => content).join('')
      const id = idOf(heading)
      const count = used.get(id) ?? 0
      used.set(id, count + 1)
      token.attrSet('id', count === 0 ? id : `${id}-${count}`)
      if (token.tag === 'h1') title = heading
    }
    for (const child of token.children ?? []) {
      const attribute = child.type === 'image' ? 'src' : 'href'
      const target = child.attrGet(attribute)
      if (target !== null) child.attrSet(attribute, addressOf(document, String(target)))
    }
  }
  return { title, body: markdown.renderer.render(tokens, markdown.options, {}) }
}

const escaped = (text: string): string => new MarkdownIt().utils.escapeHtml(text)

function navigationOf(document: string, titles: ReadonlyMap<string, string>): string {
  return Object.entries(NAVIGATION)
    .map(([group, documents]) => {
      const items = documents.map(other => {
        const current = other === document ? ' aria-current="page"' : ''
        const address = relative(dirname(pageOf(document)), pageOf(other))
        return `<li><a href="${address}"${current}>${escaped(titles.get(other) ?? other)}</a></li>`
      })
      return `<h2>${group}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
    })
    .join('\n')
}

/** Writes the site into a directory and returns the number of its pages. */
export function buildSite(directory: string): number {
  const rendered = new Map(DOCUMENTS.map(document => [document, render(document)]))
  const titles = new Map([...rendered].map(([document, { title }]) => [document, title]))
  const mark = readFileSync(join(ROOT, 'src/web/mark.svg'), 'utf8')
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  for (const [document, { title, body }] of rendered) {
    const root = relative(dirname(pageOf(document)), '.') || '.'
    write(
      pageOf(document),
      `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}${title === 'Palimpsest' ? '' : ' · Palimpsest'}</title>
<link rel="icon" href="${root}/mark.svg">
<link rel="stylesheet" href="${root}/style.css">
<body class="manual">
<a class="to-documents" href="#documents">All documents</a>
<main>
${body}</main>
<nav id="documents" aria-label="Documents">
${navigationOf(document, titles)}
</nav>
</body>
</html>
`,
    )
  }
  const styles = STYLES.map(name => readFileSync(join(ROOT, 'src/web/styles', name), 'utf8'))
  write('style.css', styles.join('\n'))
  write('mark.svg', mark)
  for (const picture of PICTURES) {
    mkdirSync(dirname(join(directory, picture)), { recursive: true })
    cpSync(join(ROOT, picture), join(directory, picture))
  }
  return rendered.size
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { to: { type: 'string' } } })
  if (values.to === undefined || existsSync(values.to)) {
    process.stderr.write(USAGE)
    process.exit(2)
  }
  process.stdout.write(`${buildSite(values.to)} pages in ${values.to}\n`)
}
