import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';

/** The locks that a step wrote to the mirror. */
export const writtenLocks = z.object({
  locks: z.array(
    z.object({
      name: z.string(),
      rule: z.string().nullable(),
      strategy: z.string().nullable(),
      market: z.string().nullable(),
      endsAtMs: z.number(),
    }),
  ),
});

/** Parts of the bot that are read. */
export interface ShowingBot {
  readonly instances: readonly { readonly name: string; readonly runner: { readonly market: string } }[];
  readonly locks: Pick<Engine['locks'], 'shownTo'>;
}

type WrittenLock = z.output<typeof writtenLocks>['locks'][number];

/** As many differences are named. */
const MOST_NAMED = 20;

/**
 * Checks that the locks handlers would see after each step are those the bot has written: those of the
 * strategy and the market, up to their ends.
 */
export class ShownLocks {
  /** Locks written last in this life; null before that. */
  private written: readonly WrittenLock[] | null = null;
  private nowMs = Number.NEGATIVE_INFINITY;
  readonly differences: string[] = [];

  /** A new process, or an older mirror: what it has is known once it writes. */
  beginAnew(): void {
    this.written = null;
    this.nowMs = Number.NEGATIVE_INFINITY;
  }

  /** A step is over; `json` is what it wrote of locks, null for nothing. */
  watch(engine: ShowingBot, json: string | null, atMs: number): void {
    if (json !== null) this.written = writtenLocks.parse(JSON.parse(json)).locks;
    // The time of an engine does not go back.
    this.nowMs = Math.max(this.nowMs, atMs);
    if (this.written === null || this.differences.length >= MOST_NAMED) return;
    const holding = this.written.filter(({ endsAtMs }) => endsAtMs > this.nowMs);
    const named = new Set(this.written.flatMap(({ market }) => market ?? []));
    for (const { name, runner } of engine.instances) {
      for (const symbol of named.add(runner.market))
        this.compare(engine, { strategy: name, market: symbol }, holding);
    }
  }

  private compare(
    engine: ShowingBot,
    of: { readonly strategy: string; readonly market: string },
    holding: readonly WrittenLock[],
  ): void {
    const expected = holding.filter(
      ({ strategy, market }) => [null, of.strategy].includes(strategy) && [null, of.market].includes(market),
    );
    const shown = engine.locks.shownTo(of.strategy, of.market);
    const [wanted, found] = [expected, shown].map((locks) =>
      locks
        .map((lock) => `${lock.name} of ${lock.market}/${lock.strategy} until ${lock.endsAtMs}`)
        .toSorted()
        .join(', '),
    );
    if (wanted === found) return;
    this.differences.push(
      `expected ${of.strategy} to see in ${of.market} [${wanted}] at ${this.nowMs}, was [${found}]`,
    );
  }
}
