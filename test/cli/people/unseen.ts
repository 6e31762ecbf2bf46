/** Ranges of characters that control a terminal, are invisible or change the direction of text: from, to. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffc],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0001, 0xe0001],
  [0xe0020, 0xe007f],
]

/** Whether a code point must not reach a terminal as itself. */
export const drivesTerminals = (point: number): boolean => RANGES.some(([from, to]) => point >= from && point <= to)

/** Every such code point once, except those that no text may contain: U+0000 and lone surrogates. */
export const everyUnseen = (): string =>
  RANGES.filter(([from]) => from !== 0xd800)
    .flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, step) => from + step))
    .filter(point => point !== 0)
    .map(point => String.fromCodePoint(point))
    .join('')

/** The styles that our own output may have on a terminal. */
const OWN_STYLES = /\x1b\[(?:[012]|3[1236])m/g

/** The forbidden code points in an output, by name. Line breaks and the styles of the command are allowed. */
export const drivingIn = (text: string): string[] => [
  ...new Set(
    [...text.replaceAll(OWN_STYLES, '').replaceAll('\n', '')]
      .map(character => character.codePointAt(0) ?? 0)
      .filter(drivesTerminals)
      .map(point => `U+${point.toString(16)}`),
  ),
]
