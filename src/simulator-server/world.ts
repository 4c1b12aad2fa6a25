/**
 * Processes that go on by themselves while time passes: matching that is due, confirmations, synthetic
 * traders.
 */
export interface World {
  /** Does everything that is due by `timeMs`. Time never goes back. */
  advance(timeMs: number): void;
}
