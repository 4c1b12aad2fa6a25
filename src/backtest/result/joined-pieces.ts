/** Text is handed on in pieces of about this many characters: longer ones outlive the young part of the heap, and to be moved costs more than a write. */
const PIECE = 65_536;

/** Many short texts as fewer long ones, so that each write is worth its while and memory is that of one. */
export function* joinedPieces(parts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const part of parts) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
