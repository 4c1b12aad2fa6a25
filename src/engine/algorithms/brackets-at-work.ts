import { addUnits, NO_UNITS, unitsOf, type Units } from '../../domain/money.ts';
import type { Timeframe } from '../../domain/candle.ts';
import { followsCloses } from '../bracket.ts';
import type { OrderRecord } from '../../records/order.ts';
import type { ClosedCandle } from '../../strategy/strategy-event.ts';
import type { AlgorithmWork } from './algorithm-work.ts';
import type { StrategyInstance } from '../strategy-instance.ts';

/** The brackets among the running algorithms: what they hold, sell and follow. */
export class BracketsAtWork {
  private readonly works: ReadonlyMap<string, AlgorithmWork>;

  /** `works`: running algorithms by the ids of their intents, oldest first. */
  constructor(works: ReadonlyMap<string, AlgorithmWork>) {
    this.works = works;
  }

  /** True if an order is the sale of a bracket. */
  isExit({ intentId, side }: OrderRecord): boolean {
    return side === 'sell' && this.works.get(intentId)?.algorithm.kind === 'bracket';
  }

  /** Adds a closed bar to the brackets whose strategy got it, and calls `poke` with each of them. */
  applyClose(
    { market, timeframe, closeTimeMs, high, close }: ClosedCandle,
    poke: (work: AlgorithmWork) => void,
  ): void {
    for (const work of this.works.values()) {
      if (work.market !== market || work.algorithm.kind !== 'bracket') continue;
      if (work.instance.firstTimeframeOf(market) !== timeframe) continue;
      work.noteClose({ price: unitsOf(close), high: unitsOf(high), atMs: closeTimeMs });
      poke(work);
    }
  }

  /**
   * Returns the oldest time from which brackets need the closes of a market's bars of this length: the last
   * close that each has applied, or the start of its position. Null if none needs any.
   */
  wantsClosesSince(market: string, timeframe: Timeframe): number | null {
    let sinceMs: number | null = null;
    for (const { market: where, instance, algorithm } of this.works.values()) {
      if (where !== market || algorithm.kind !== 'bracket' || algorithm.heldSinceMs === null) continue;
      if (instance.firstTimeframeOf(market) !== timeframe) continue;
      const seenMs = Math.max(algorithm.closeAtMs, algorithm.heldSinceMs);
      if (followsCloses(algorithm.terms)) sinceMs = Math.min(sinceMs ?? seenMs, seenMs);
    }
    return sinceMs;
  }

  /** Returns the number of a strategy's stops that follow the price. */
  trailsOf(instance: StrategyInstance): number {
    let trails = 0;
    for (const { instance: owner, algorithm } of this.works.values())
      if (owner === instance && algorithm.kind === 'bracket' && algorithm.terms.trail !== null) trails += 1;
    return trails;
  }

  /** Returns the amount of a coin that a strategy's brackets hold; nothing else may protect the same. */
  heldOf(instance: StrategyInstance, base: string): Units {
    let held = NO_UNITS;
    for (const work of this.works.values())
      if (work.instance === instance && work.base === base) held = addUnits(held, work.held);
    return held;
  }

  /**
   * Returns the amount of a bracket's coin that older brackets of the same strategy hold; it is not available
   * to this one.
   */
  heldBefore(work: AlgorithmWork): Units {
    let held = NO_UNITS;
    if (work.algorithm.kind !== 'bracket') return held;
    for (const other of this.works.values()) {
      if (other === work) break;
      if (other.instance === work.instance && other.base === work.base) held = addUnits(held, other.held);
    }
    return held;
  }
}
