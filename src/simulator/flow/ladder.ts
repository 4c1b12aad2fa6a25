import type { MarketState } from '../core/market/market-state.ts';
import type { Chance } from './chance.ts';
import type { FlowTrader } from './flow-trader.ts';
import { LadderSide, type LevelSizing } from './ladder-side.ts';
import { ladderPrices } from './lattice.ts';
import { leastAmount } from './typical-size.ts';

/** Place of a ladder, in public price steps: bid < ask; `gap` between the levels behind them. */
export interface LadderPlace {
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
