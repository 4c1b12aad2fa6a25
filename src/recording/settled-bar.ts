/** The last trades of a bar may show for a moment after its end. */
export const SETTLE_MS = 5_000;

/** Whether a bar that ends at a time was seen late enough to be what it stays. */
export function isSettled(endMs: number, seenMs: number): boolean {
  return seenMs >= endMs + SETTLE_MS;
}
