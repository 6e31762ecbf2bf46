import { Problem } from '../contract/problem.ts'
import { countSlices, listSlice } from '../memory/entries/views.ts'
import { html } from './html.ts'
import { type File, type Page, TEXT_TYPE } from './page.ts'

const xmlFile = (markup: string): File => ({
  type: 'application/xml; charset=utf-8',
  body: `<?xml version="1.0" encoding="utf-8"?>\n${markup}`,
})
const SITEMAP = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** Crawlers may fetch all permanent pages, but no pages that are costly to compute. */
const ROBOTS: Page = {
  path: '/robots.txt',
  render: ({ config }) => ({
    type: TEXT_TYPE,
    body: `User-agent: *
Disallow: /api/
Disallow: /actors/
Disallow: /admin
Disallow: /preview
Disallow: /entries/*/diff
Disallow: /entries/*/layers
Disallow: /entries/*/timeline
Disallow: /search?q=
${config.publicUrl === undefined ? '' : `\nSitemap: ${config.publicUrl}/sitemap.xml\n`}`,
  }),
}

/** The sitemap index. Addresses are absolute if PUBLIC_URL is set, as the protocol requires. */
const SITEMAPS: Page = {
  path: '/sitemap.xml',
  as: 'listActivity',
  async render({ reads, config: { publicUrl = '' } }) {
    const slices = await countSlices(reads)
    const rows = Array.from(
      { length: slices },
      (_, slice) => html`<sitemap><loc>${publicUrl}/sitemaps/${slice}.xml</loc></sitemap>
`,
    )
    return xmlFile(
      html`<sitemapindex xmlns="${SITEMAP}">
${rows}</sitemapindex>
`.markup,
    )
  },
}

/** One page of the sitemap: the public entries of a range of record numbers. */
const SITEMAP_SLICE: Page = {
  path: '/sitemaps/{slice}',
  as: 'listActivity',
  async render({ params: { slice = '' }, reads, config: { publicUrl = '' } }) {
    const [, digits] = /^(\d{1,6})\.xml$/.exec(slice) ?? []
    if (digits === undefined || Number(digits) >= (await countSlices(reads))) throw new Problem('ROUTE_NOT_FOUND')
    const entries = await listSlice(reads, Number(digits))
    const rows = entries.map(
      ({ slug, updatedAt }) => html`<url><loc>${publicUrl}/entries/${slug}</loc><lastmod>${updatedAt}</lastmod></url>
`,
    )
    return xmlFile(
      html`<urlset xmlns="${SITEMAP}">
${
  Number(digits) === 0 &&
  html`<url><loc>${publicUrl}/</loc></url>
`
}${rows}</urlset>
`.markup,
    )
  },
}

/** Describes the search for browsers (OpenSearch). The description needs an absolute address, so it does not exist without PUBLIC_URL. */
const OPENSEARCH: Page = {
  path: '/opensearch.xml',
  render({ config: { publicUrl } }) {
    if (publicUrl === undefined) throw new Problem('ROUTE_NOT_FOUND')
    const description = html`<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Palimpsest</ShortName><Description>The memory that people and agents share</Description><InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" template="${publicUrl}/search?q={searchTerms}"/>
<Url type="application/atom+xml" rel="results" template="${publicUrl}/feeds/changes.atom"/>
</OpenSearchDescription>
`
    return { ...xmlFile(description.markup), type: 'application/opensearchdescription+xml; charset=utf-8' }
  },
}

/** Documents for crawlers. */
export const CRAWLERS: readonly Page[] = [ROBOTS, SITEMAPS, SITEMAP_SLICE, OPENSEARCH]
