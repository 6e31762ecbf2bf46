import type { Config } from '../../config.ts'
import type { Author, Entry } from '../../contract/resources.ts'
import { type Html, html, raw } from '../html.ts'
import { titleOf } from '../parts/components.ts'

/** An entry for search engines (schema.org). The author is self-declared; an actor without a public name is omitted. */
export function linkedData(entry: Entry, { publicUrl, contentLicense }: Pick<Config, 'publicUrl' | 'contentLicense'>) {
  const address = publicUrl === undefined ? undefined : `${publicUrl}/entries/${entry.slug}`
  return {
    '@context': 'https://schema.org',
    '@type': 'Article',
    ...(address === undefined ? {} : { '@id': address, url: address, mainEntityOfPage: address }),
    identifier: entry.id,
    headline: titleOf(entry.title),
    description: titleOf(entry.summary),
    keywords: entry.tags.map(titleOf),
    datePublished: entry.createdAt,
    dateModified: entry.updatedAt,
    version: entry.revisionCount,
    isAccessibleForFree: true,
    ...authorOf(entry.actor),
    ...(contentLicense === undefined ? {} : { license: contentLicense }),
  }
}

const authorOf = ({ declared }: Author): { author?: { '@type': string; name: string } } =>
  declared.name === null ? {} : { author: { '@type': 'Thing', name: titleOf(declared.name) } }

/** Embeds data in a page. The data cannot end their element, and browsers do not execute them. */
export const dataBlock = (data: object): Html =>
  html`<script type="application/ld+json">${raw(JSON.stringify(data).replaceAll('<', '\\u003c'))}</script>`
