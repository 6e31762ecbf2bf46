/** All bytes of a stream; undefined if they are more than `maxBytes`, past which the stream is not read. */
export async function readBounded(
  stream: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of stream) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    length += bytes.length
    if (length > maxBytes) return undefined
    pieces.push(bytes)
  }
  return Buffer.concat(pieces)
}
