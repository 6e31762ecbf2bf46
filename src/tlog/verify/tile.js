// @ts-check
import { MalformedError } from './bytes.js'

/** Hashes in a full tile, and entries in a full bundle. */
export const TILE_WIDTH = 256
export const HASH_BYTES = 32

/**
 * A tile, or with level `entries` a bundle of entries (c2sp.org/tlog-tiles): number `index` of its level, with the first `width` of its
 * 256 items.
 * @typedef {{ level: number | 'entries', index: number, width: number }} Tile
 */

const PATH = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** The path of a tile below the log’s address: `tile/0/x001/x234/067`, and `.p/W` after it where it is partial. @param {Tile} tile @returns {string} */
export function tilePath({ level, index, width }) {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const number = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${number}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** The tile that a path names. Throws MalformedError unless the path is the one of that tile. @param {string} path @returns {Tile} */
export function parseTilePath(path) {
  const [, level = '', number = '', width] = PATH.exec(path) ?? []
  const tile = {
    level: level === 'entries' ? /** @type {const} */ ('entries') : Number(level),
    index: Number(number.replaceAll(/\D/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  if (tilePath(tile) !== path || tile.width > TILE_WIDTH || (tile.level !== 'entries' && tile.level > 63)) {
    throw new MalformedError('There is no such tile.')
  }
  return tile
}

/**
 * How many of its 256 hashes a tile has in a tree of `size` leaves; 0 if there is no such tile.
 * @param {number} level 0 also for bundles of entries
 * @param {number} index
 * @param {number} size
 * @returns {number}
 */
export function tileWidth(level, index, size) {
  const hashes = Math.floor(size / TILE_WIDTH ** level)
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH))
}
