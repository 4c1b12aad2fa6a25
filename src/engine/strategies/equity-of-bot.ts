import { EnginePart } from '../engine-settings.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../../domain/money.ts';
import { valueIn } from '../../portfolio/holding.ts';
import type { AccountState } from '../feeds/account-state.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { PortfolioViews } from './portfolio-view.ts';
import type { StrategyInstance } from '../strategy-instance.ts';

export interface EquityOptions {
  readonly instances: readonly StrategyInstance[];
  readonly markets: MarketDataCache;
  readonly account: AccountState;
  readonly views: PortfolioViews;
}

/** Result so far and the capital with which it was made, in one currency. */
interface EquityReading {
  readonly quote: Currency;
  readonly result: Units;
  /** Returns equity less result from the current account, which is right only while no order is in flight. */
  readonly base: () => Units | null;
}

/** Returns the quote currencies of all strategies, and the currency in which the whole bot is valued. */
export function currenciesOfBot(
  instances: readonly StrategyInstance[],
  { marketNames: { bridge } }: StrategyInstance,
): { readonly quotes: ReadonlySet<Currency>; readonly currency: Currency } {
  const quotes = new Set(instances.flatMap((instance) => [...instance.quotes]));
  return { quotes, currency: quotes.has(bridge.quote) ? bridge.quote : bridge.base };
}

/**
 * Returns the money of all strategies in a currency: their capital, and what their trades made of it. Null if
 * one of them shares the account's money: then all of that is theirs.
 */
export function moneyOfStrategies(instances: readonly StrategyInstance[], currency: string): bigint | null {
  let sum = 0n;
  for (const instance of instances) {
    const own = instance.moneyOf(currency);
    if (own === null) return null;
    sum += own;
  }
  return sum;
}

/**
 * Computes the equity of a strategy, or of the whole bot, for drawdowns: the capital at the beginning and the
 * results since. The results come from fills and last prices alone. So a wallet that is listed before or
 * after a fill changes nothing, and a deposit is no gain.
 */
export class EquityOfBot extends EnginePart<EquityOptions> {
  /** Returns the equity of a strategy, or of the bot (null); null while some asset has no price. */
  of(strategy: string | null, nowMs: number): EquityReading | null {
    if (strategy === null) return this.ofAll(nowMs);
    const instance = this.options.instances.find(({ name }) => name === strategy);
    if (instance === undefined) return null;
    const { market } = instance.runner;
    const { quote } = instance.marketNames.parseMarket(market);
    const result = this.resultOf(instance, quote, nowMs);
    if (result === null) return null;
    const base = (): Units | null => {
      const equity = this.options.views.of(instance).equityUnits(market);
      return equity === null ? null : subtractUnits(equity, result);
    };
    return { quote, result, base };
  }

  private ofAll(nowMs: number): EquityReading | null {
    const { instances } = this.options;
    const [first] = instances;
    if (first === undefined) return null;
    const { quotes, currency: quote } = currenciesOfBot(instances, first);
    let result: Units = NO_UNITS;
    for (const instance of instances) {
      const own = this.resultOf(instance, quote, nowMs);
      if (own === null) return null;
      result = addUnits(result, own);
    }
    return { quote, result, base: () => this.baseOfAll(quotes, quote, result) };
  }

  /** Returns the money of the strategies and the coins from our fills, less the result. */
  private baseOfAll(quotes: ReadonlySet<Currency>, quote: Currency, result: Units): Units | null {
    const { account, instances, markets } = this.options;
    let sum: Units | null = NO_UNITS;
    const add = (asset: string, amount: bigint, instance: StrategyInstance | undefined): void => {
      if (sum === null || instance === undefined) return;
      const { marketNames, ledger } = instance;
      const priceOf = (market: string): Units | null => markets.priceOf(market) ?? ledger.priceOf(market);
      const value = valueIn(quote, { asset, amount }, { marketNames, priceOf });
      sum = value === null ? null : addUnits(sum, value);
    };
    for (const asset of quotes)
      add(asset, moneyOfStrategies(instances, asset) ?? account.totalOf(asset), instances[0]);
    for (const instance of instances) {
      for (const [asset, { held }] of instance.ledger.state.holdings)
        if (!quotes.has(asset)) add(asset, held, instance);
    }
    return sum === null ? null : subtractUnits(sum, result);
  }

  private resultOf(instance: StrategyInstance, quote: Currency, nowMs: number): Units | null {
    const { markets } = this.options;
    instance.applyPrices((symbol) => markets.priceOf(symbol), nowMs);
    const view = instance.pnlViews(quote, nowMs).inCurrencies.find((one) => one.quote === quote);
    return view === undefined || view.unvalued.length > 0 ? null : view.result;
  }
}
