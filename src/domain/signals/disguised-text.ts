/** The maximum number of decoded base64 runs, and the minimum and maximum characters of a run. */
const DECODED_MAX = 4
const SHORTEST = 32
const LONGEST = 4_000
const OF_BLOB = /^[A-Za-z0-9+/]$/
const IN_BLOB = Uint8Array.from({ length: 128 }, (_, code) => (OF_BLOB.test(String.fromCharCode(code)) ? 1 : 0))
/** ASCII words. A key, a hash or a picture decodes to other bytes. */
const WORDS = /^[\t\n\r -~]*[A-Za-z]{2,} [A-Za-z]{2,}[\t\n\r -~]*$/

/** A word with the same sign between each two letters. */
const SPACED = /(?<![A-Za-z])[A-Za-z]([ ._*-])[A-Za-z](?:\1[A-Za-z]){2,40}(?![A-Za-z])/g
const SIGNS = /[ ._*-]/g
const HAS_SPACED = /(?<![A-Za-z])[A-Za-z]([ ._*-])(?:[A-Za-z]\1){4}[A-Za-z](?![A-Za-z])/

/** A text, followed by the texts that it contains in base64 or in spaced letters; unchanged if it contains none. */
export function withDisguised(text: string): string {
  const found = blobsIn(text).map(decoded)
  const words = found.filter(one => WORDS.test(one))
  if (HAS_SPACED.test(text)) words.push(text.replace(SPACED, word => word.replace(SIGNS, '')))
  return words.length === 0 ? text : [text, ...words].join('\n\n')
}

const decoded = (blob: string): string => Buffer.from(blob, 'base64').toString('latin1')

/** Runs of base64 characters. Every run of SHORTEST characters includes a multiple of SHORTEST, so only these offsets are tested. */
function blobsIn(text: string): string[] {
  const blobs: string[] = []
  for (let at = SHORTEST - 1; at < text.length && blobs.length < DECODED_MAX; at += SHORTEST) {
    if (!isOfBlob(text, at)) continue
    let from = at
    while (at - from < SHORTEST && isOfBlob(text, from - 1)) from--
    let end = at + 1
    while (end - from < LONGEST && isOfBlob(text, end)) end++
    if (end - from < SHORTEST) continue
    blobs.push(text.slice(from, end))
    at = end
  }
  return blobs
}

const isOfBlob = (text: string, at: number): boolean => IN_BLOB[text.charCodeAt(at)] === 1
