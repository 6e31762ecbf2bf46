/** A table with one byte for each UTF-16 code unit: the value of the row whose characters contain the unit, else 0. */
export function byteTable(rows: readonly (readonly [characters: string, value: number])[]): Uint8Array {
  const table = new Uint8Array(0x10000)
  for (const [characters, value] of rows) {
    for (const character of characters) table[character.charCodeAt(0)] = value
  }
  return table
}
