import { visitPieces } from '../../src/memory/evidence/pieces-rules.ts'

/** The sentences and lines of a text in order. Concatenated, they are the text. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  visitPieces(text, 0, (from, to) => void pieces.push(text.slice(from, to)))
  return pieces
}
