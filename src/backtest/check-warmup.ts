import { barsBetween, firstBarFrom, gridOfColumns } from '../domain/candle-columns.ts';
import type { Market } from '../domain/market.ts';
import { UNITS_PER_ONE } from '../domain/money.ts';
import { gridOf } from '../domain/bar-grid.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { RunMarket } from './candle-runner.ts';

/** Record of a run. */
export interface RunTrace {
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly FillRecord[];
}

/**
 * The first close at which neither run holds anything nor has an order open; null where there is none. From
 * there on a strategy that is warm wants the same in both: before, one that begins flat must differ from one
 * that holds something.
 */
export function firstFlatMs(
  runs: readonly RunTrace[],
  of: { readonly closesMs: Float64Array; readonly markets: readonly Market[] },
): number | null {
  const walks = runs.map((run) => new FlatWalk(run, of.markets));
  for (const closeMs of of.closesMs) {
    let isFlat = true;
    // Each goes on, also where another one is not flat.
    for (const walk of walks) if (!walk.isFlatAt(closeMs)) isFlat = false;
    if (isFlat) return closeMs;
  }
  return null;
}

/** A run on its way through time: what it holds, and what is open. */
class FlatWalk {
  private readonly run: RunTrace;
  private readonly markets: ReadonlyMap<string, Market>;
  private readonly held = new Map<string, { amount: bigint; value: bigint; market: Market }>();
  private readonly open = new Set<OrderRecord>();
  private nextFill = 0;
  private nextOrder = 0;

  constructor(run: RunTrace, markets: readonly Market[]) {
    this.run = { orders: run.orders, fills: run.fills.toSorted((one, other) => one.atMs - other.atMs) };
    this.markets = new Map(markets.map((market) => [market.symbol, market]));
  }

  /** To be asked of rising times. */
  isFlatAt(timeMs: number): boolean {
    const { orders, fills } = this.run;
    for (
      let fill = fills[this.nextFill];
      fill !== undefined && fill.atMs <= timeMs;
      fill = fills[this.nextFill]
    ) {
      this.nextFill += 1;
      this.take(fill);
    }
    for (let order = orders[this.nextOrder]; order !== undefined && order.plannedAtMs <= timeMs;) {
      this.open.add(order);
      this.nextOrder += 1;
      order = orders[this.nextOrder];
    }
    for (const order of this.open)
      if (order.closedAtMs !== null && order.closedAtMs <= timeMs) this.open.delete(order);
    return this.open.size === 0 && [...this.held.values()].every(isNothing);
  }

  private take({ strategy, market: symbol, side, amount, fee, price }: FillRecord): void {
    const market = this.markets.get(symbol);
    if (market === undefined) return;
    const key = `${strategy} ${symbol}`;
    const before = this.held.get(key)?.amount ?? 0n;
    const now = side === 'buy' ? before + amount - fee : before - amount;
    this.held.set(key, { amount: now, value: (now * price) / UNITS_PER_ONE, market });
  }
}

/**
 * Returns true if an amount is too small to order: less than a step, or not worth more than the minimum
 * order.
 */
function isNothing({ amount, value, market }: { amount: bigint; value: bigint; market: Market }): boolean {
  return amount < market.amountStep || value <= market.minOrderValue;
}

/** The bars of a run that begins at a time with no more of the past than a live start would ask for. */
export function warmedOnly(
  markets: readonly RunMarket[],
  instances: readonly Pick<StrategyInstanceSettings, 'runner'>[],
  fromMs: number,
): readonly RunMarket[] {
  return markets.map(({ columns, ...of }) => {
    const { market } = of;
    const first = firstBarFrom(columns, fromMs);
    let from = first;
    for (const { runner } of instances) {
      for (const wanted of runner.subscriptions) {
        if (wanted.kind !== 'candles' || wanted.market !== market.symbol) continue;
        const { timeframe } = wanted;
        const grid = gridOf(timeframe, columns.anchors);
        const parts = grid.lengthMs / gridOfColumns(columns).lengthMs;
        const at = Math.max(0, first - Math.ceil(runner.warmUpLength(wanted) * parts));
        // A longer bar is made of all of its parts.
        from = Math.min(from, firstBarFrom(columns, grid.startOf(columns.openTimeMs[at] ?? fromMs)));
      }
    }
    return { ...of, columns: barsBetween(columns, from) };
  });
}
