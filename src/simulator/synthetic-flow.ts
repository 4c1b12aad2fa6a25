import type { SimulatedExchange } from './exchange.ts';
import { Chance } from './flow/ladder.ts';
import { FlowTrader } from './flow-trader.ts';
import { SyntheticMarket } from './flow/synthetic-market.ts';

/** Ids of the flow's users, from here on; far from those that people are given. */
const FLOW_USER_IDS = 9_000_000;
const MAKERS = 3;
const TAKERS = 3;
const THREE_DAYS_MIN = 3 * 1_440;
/** A jump of time longer than this is lived through in as many steps as this takes, only further apart. */
const LIVED_THROUGH_MS = 60_000;

interface SyntheticFlowOptions {
  readonly exchange: SimulatedExchange;
  readonly seed: number;
  /** Start of trading. */
  readonly startMs: number;
  readonly firstUserId?: number;
  /** Minutes of candles that are there at the start, for those who need a past; 0: none. */
  readonly historyMinutes?: number;
}

/**
 * Synthetic traders on every market of an exchange: makers who keep at least 24 levels a side around a fair
 * price that only they know, and takers who come at random. Everything follows from the seed; as long as
 * `advance` is called at least once a minute, it does not matter how often.
 *
 * Rules: makers look once a second; a level that still fits keeps its place in the queue, and what was taken
 * is put back at the next look; the spread widens with volatility and is never less than four price steps;
 * takers are a Poisson process whose rate rises with volatility, with Pareto sizes, and tend to do what the
 * last one did. All are ordinary users under the exchange's rules (steps, minimum, band, closed markets),
 * except that their money never runs out. A jump of time of any length costs what a minute costs: the same
 * number of events, spread over it.
 *
 * What is unreal about it: makers do not mind what others do, never run out of nerve and are not moved by a
 * large order, so the price comes back at the next look; markets know nothing of each other (no arbitrage
 * between tether and rial prices); see also `FairPrice`.
 */
export class SyntheticFlow {
  private readonly exchange: SimulatedExchange;
  private readonly markets: readonly SyntheticMarket[];
  private reachedMs: number;

  constructor(options: SyntheticFlowOptions) {
    const { exchange, seed, startMs } = options;
    this.exchange = exchange;
    this.reachedMs = startMs;
    const firstUserId = options.firstUserId ?? FLOW_USER_IDS;
    const traders = Array.from(
      { length: MAKERS + TAKERS },
      (_, index) => new FlowTrader({ exchange, userId: firstUserId + index, timeMs: startMs }),
    );
    this.markets = [...exchange.markets.values()].map(
      (market, index) =>
        new SyntheticMarket({
          market,
          makers: traders.slice(0, MAKERS),
          takers: traders.slice(MAKERS),
          chance: new Chance(seed + index * 0x9e3779b1),
          startMs,
          historyMinutes: options.historyMinutes ?? THREE_DAYS_MIN,
        }),
    );
  }

  /** Time of the next event. */
  get nextTimeMs(): number {
    return this.next()?.nextMs ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Does everything that is due by `timeMs`, each at its own time. To be called before others act at that
   * time; time never goes back.
   */
  advance(timeMs: number): void {
    const stretch = Math.max(1, (timeMs - this.reachedMs) / LIVED_THROUGH_MS);
    for (;;) {
      const market = this.next();
      if (market === undefined || market.nextMs > timeMs) break;
      this.exchange.trading.advance(market.nextMs);
      market.step(stretch);
    }
    if (timeMs > this.reachedMs) this.reachedMs = timeMs;
  }

  private next(): SyntheticMarket | undefined {
    let first: SyntheticMarket | undefined;
    for (const market of this.markets)
      if (first === undefined || market.nextMs < first.nextMs) first = market;
    return first;
  }
}
