import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import { invariant } from '../domain/invariant.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import type { CandleSeries } from './candle-series.ts';
import type { DataAges, StrategyContext } from './context.ts';
import type { ClosedCandle, OwnOrder } from './definition.ts';
import type { IndicatorValue } from './indicator-specs.ts';
import type { MarketRules } from './market-rules.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { EngineView } from './strategy-event.ts';

/** What stays the same from one call of a strategy's handlers to the next. */
export interface HandlerSetup {
  readonly params: unknown;
  readonly market: string;
  readonly indicators: Readonly<Record<string, IndicatorValue | null>>;
  readonly series: readonly CandleSeries[];
  readonly log: StrategyContext<unknown, unknown>['log'];
}

const NO_CANDLES: readonly ClosedCandle[] = [];

/**
 * The context of one call. Asks the engine only for what the handler looks at. What takes a market is handed out as functions of their own, since
 * authors take a context apart. Nothing that it hands out can be changed, since the engine and other strategies read on.
 */
export class HandlerContext implements StrategyContext<unknown, unknown> {
  readonly state: unknown;
  readonly #setup: HandlerSetup;
  readonly #view: EngineView;

  constructor(setup: HandlerSetup, state: unknown, view: EngineView) {
    this.#setup = setup;
    this.state = state;
    this.#view = view;
  }

  get params(): unknown {
    return this.#setup.params;
  }

  get market(): string {
    return this.#setup.market;
  }

  get indicators(): Readonly<Record<string, IndicatorValue | null>> {
    return this.#setup.indicators;
  }

  get log(): StrategyContext<unknown, unknown>['log'] {
    return this.#setup.log;
  }

  get nowMs(): number {
    return this.#view.nowMs;
  }

  get position(): DecimalText {
    return this.#view.position(this.#setup.market);
  }

  get free(): Readonly<Record<string, DecimalText>> {
    return frozenCopy(this.#view.free());
  }

  get equity(): DecimalText | null {
    return this.#view.equity(this.#setup.market);
  }

  get orders(): readonly OwnOrder[] {
    return this.#view.orders();
  }

  get book(): OrderBook | null {
    return frozenCopy(this.#view.book(this.#setup.market));
  }

  get stats(): MarketStats | null {
    return frozenCopy(this.#view.stats(this.#setup.market));
  }

  get rules(): MarketRules {
    const rules = this.#view.rules(this.#setup.market);
    invariant(rules !== null, () => `expected the rules of ${this.#setup.market}, were none`);
    return frozenCopy(rules);
  }

  get ages(): DataAges {
    return new MarketAges(this.#view, this.#setup.market);
  }

  get history(): readonly ClosedCandle[] {
    return Object.freeze(this.#setup.series[0]?.history ?? NO_CANDLES);
  }

  get positionOf(): (market: string) => DecimalText {
    return (market) => this.#view.position(market);
  }

  get equityOf(): (market: string) => DecimalText | null {
    return (market) => this.#view.equity(market);
  }

  get bookOf(): (market: string) => OrderBook | null {
    return (market) => frozenCopy(this.#view.book(market));
  }

  get statsOf(): (market: string) => MarketStats | null {
    return (market) => frozenCopy(this.#view.stats(market));
  }

  get rulesOf(): (market: string) => MarketRules | null {
    return (market) => frozenCopy(this.#view.rules(market));
  }

  get agesOf(): (market: string) => DataAges {
    return (market) => new MarketAges(this.#view, market);
  }

  get historyOf(): (market: string, timeframe: Timeframe) => readonly ClosedCandle[] {
    return (market, timeframe) =>
      Object.freeze(this.#setup.series.find((series) => series.isOf(market, timeframe))?.history ?? NO_CANDLES);
  }
}

/** The ages of one market's data and of the account's. */
class MarketAges implements DataAges {
  readonly #view: EngineView;
  readonly #market: string;

  constructor(view: EngineView, market: string) {
    this.#view = view;
    this.#market = market;
  }

  get book(): number | null {
    return this.#view.ageMs('book', this.#market);
  }

  get stats(): number | null {
    return this.#view.ageMs('stats', this.#market);
  }

  get trades(): number | null {
    return this.#view.ageMs('trades', this.#market);
  }

  get candles(): number | null {
    return this.#view.ageMs('candles', this.#market);
  }

  get orders(): number | null {
    return this.#view.accountAgeMs('orders');
  }

  get fills(): number | null {
    return this.#view.accountAgeMs('fills');
  }

  get balances(): number | null {
    return this.#view.accountAgeMs('balances');
  }
}

// Strategies of one process share these: one of them must not give the others another context.
for (const shared of [HandlerContext, MarketAges]) {
  Object.freeze(shared.prototype);
  Object.freeze(shared);
}
