import type { MarketState } from '../market-state.ts';
import type { Chance } from './chance.ts';
import type { FlowTrader } from '../flow-trader.ts';
import { LadderSide, type LevelSizing } from './ladder-side.ts';
import { leastAmount } from './typical-size.ts';
import type { Side } from '../../domain/order.ts';

/** Place of a ladder, in public price steps: bid < ask; `gap` between the levels behind them. */
interface LadderPlace {
  readonly bid: number;
  readonly ask: number;
  readonly gap: number;
  /** About what the levels near the touch hold, in public amount steps; those further back hold more. */
  readonly typicalAmount: number;
  /** Least amounts of the touch. */
  readonly leastBid?: number;
  readonly leastAsk?: number;
}

/** Growth of each level over the one before it, and the spread of sizes around that. */
const GROWTH = 0.06;
const SPREAD_OF_SIZES = 0.55;

/** The makers' quotes on both sides of one market. Holds `levels` orders a side at most. */
export class Ladder {
  readonly buys: LadderSide;
  readonly sells: LadderSide;
  private readonly market: MarketState;
  private readonly chance: Chance;
  private readonly levels: number;
  /** The rules and gap that the resting orders were placed under. */
  private rules: MarketState['rules'];
  private gap = 0;

  constructor(options: {
    readonly market: MarketState;
    readonly makers: readonly FlowTrader[];
    readonly chance: Chance;
    readonly levels: number;
  }) {
    const { market, makers } = options;
    this.market = market;
    this.chance = options.chance;
    this.levels = options.levels;
    this.rules = market.rules;
    this.buys = new LadderSide({ market, side: 'buy', makers });
    this.sells = new LadderSide({ market, side: 'sell', makers });
  }

  /** Forgets places that other steps gave a meaning to. To be called before prices are reckoned with. */
  heedRules(timeMs: number): void {
    if (this.rules === this.market.rules) return;
    this.rules = this.market.rules;
    this.clear(timeMs);
  }

  /** Moves the quotes. Own orders never meet: what would cross is taken back before anything is placed. */
  follow(place: LadderPlace, timeMs: number): void {
    this.heedRules(timeMs);
    if (place.gap !== this.gap) {
      this.gap = place.gap;
      this.clear(timeMs);
    }
    this.buys.withdrawFrom(place.ask, timeMs);
    this.sells.withdrawFrom(place.bid, timeMs);
    this.buys.show(this.pricesOf('buy', place), this.sizing(place, place.leastBid ?? 1), timeMs);
    this.sells.show(this.pricesOf('sell', place), this.sizing(place, place.leastAsk ?? 1), timeMs);
  }

  clear(timeMs: number): void {
    this.buys.clear(timeMs);
    this.sells.clear(timeMs);
  }

  private pricesOf(side: 'buy' | 'sell', place: LadderPlace): number[] {
    const { gap } = place;
    return ladderPrices({ side, touch: side === 'buy' ? place.bid : place.ask, gap, count: this.levels });
  }

  private sizing(place: LadderPlace, least: number): LevelSizing {
    const smallest = leastAmount(this.rules, place.bid);
    return {
      amountAt: (index) => {
        const size =
          place.typicalAmount * (1 + GROWTH * index) * Math.exp(SPREAD_OF_SIZES * this.chance.normal());
        return Math.max(smallest, Math.floor(size)) + (index === 0 ? least : 0);
      },
      isEnough: (index, remaining) => index !== 0 || remaining >= least,
    };
  }
}

/**
 * Places where the levels of a ladder may lie: one in every `gap` price steps, each a little off its mark so
 * that a book does not look ruled. They do not depend on the price, so that a ladder which follows the price
 * by one gap changes one level at each end, not all of them.
 */
function latticePrice(index: number, gap: number): number {
  return index * gap + (gap < 3 ? 0 : offsetOf(index, gap));
}

/**
 * The prices of one side, best first: the touch itself and the `count - 1` places of the lattice beyond it.
 * None below one step.
 */
function ladderPrices(of: {
  readonly side: Side;
  readonly touch: number;
  readonly gap: number;
  readonly count: number;
}): number[] {
  const { side, touch, gap, count } = of;
  const away = side === 'buy' ? -1 : 1;
  const prices = [touch];
  let index = Math.floor(touch / gap);
  while ((latticePrice(index, gap) - touch) * away <= 0) index += away;
  for (; prices.length < count; index += away) {
    const price = latticePrice(index, gap);
    if (price < 1) break;
    prices.push(price);
  }
  return prices;
}

/** Less than half a gap, always the same for the same place. */
function offsetOf(index: number, gap: number): number {
  const mixed = Math.imul((index | 0) ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
  return Math.floor((mixed / 4_294_967_296) * 0.49 * gap);
}
