import { cellUnits, columnScale, gridOfColumns, type CandleColumns } from '../domain/candle-columns.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { parseMarket, MARKET_NAMES } from '../exchange/market-names.ts';
import { NO_UNITS, UNITS_PER_ONE, type Units, divideHalfEven } from '../domain/money.ts';
import type { FillRecord } from '../records/fill.ts';
import { valueIn, type PriceOf, type Prices } from '../portfolio/holding.ts';
import type { BacktestRun } from './backtest-run.ts';
import type { MovedFill, TripMarket } from './round-trips.ts';

/** The fills of a run with all money in the run's currency. */
interface ValuedFills {
  /** Trades: one for each fill. */
  readonly traded: readonly FillRecord[];
  /**
   * Fills with the movement of the other quote currency, so that the money of every trade is accounted for.
   */
  readonly moved: readonly MovedFill[];
  /** By the market names that the fills have here. */
  readonly markets: ReadonlyMap<string, TripMarket>;
}

/**
 * Fills of several markets in one currency. Each coin has one name, that of its market in the run's currency
 * where there is one, so that what was bought in one market is sold in another. A fill for the other quote
 * currency is worth what that is worth at its time, by the open of the bar of `USDTIRT` that it is in. It is
 * two: the coin's, and the other currency's, which is bought by a sale and sold by a purchase. A run in one
 * currency is what it was.
 */
export function valuedFills(run: Pick<BacktestRun, 'fills' | 'markets' | 'quote'>): ValuedFills {
  const { fills, markets, quote } = run;
  const last = new Map(markets.map(({ market, lastPrice }) => [market.symbol as string, lastPrice]));
  if (markets.every(({ market }) => market.quote === quote)) {
    return {
      traded: fills,
      moved: fills,
      markets: new Map(
        markets.map(({ market, lastPrice }) => [
          market.symbol,
          { amountStep: market.amountStep, minOrderValue: market.minOrderValue, lastPrice },
        ]),
      ),
    };
  }
  const bridge = markets.find(({ market }) => market.symbol === BRIDGE.market)?.candles ?? null;
  // A live session may have read it with the statistics alone.
  const lastBridge = last.get(BRIDGE.market) ?? null;
  const names = new Set(last.keys());
  const traded: FillRecord[] = [];
  const moved: MovedFill[] = [];
  for (const fill of fills) {
    const priceThen = bridgePriceAt(bridge, fill.atMs) ?? lastBridge;
    const priceOf: PriceOf = (market) => (market === BRIDGE.market ? priceThen : null);
    const [coin, money] = valued(fill, { quote, names, prices: pricesBy(priceOf) });
    traded.push(coin);
    moved.push(coin, ...(money === null ? [] : [money]));
  }
  const lastPrices = pricesBy((symbol) => last.get(symbol) ?? null);
  const tripMarkets = markets.map((one): [string, TripMarket] => {
    const { base } = one.market;
    const asset = base === quote ? one.market.quote : base;
    const worth = (of: string, amount: Units): Units =>
      valueIn(quote, { asset: of, amount }, lastPrices) ?? NO_UNITS;
    const { amountStep, minOrderValue } = one.market;
    return [
      nameOf(asset, { quote, names }),
      {
        amountStep,
        minOrderValue: worth(one.market.quote, minOrderValue),
        lastPrice: worth(asset, UNITS_PER_ONE as Units),
      },
    ];
  });
  return { traded, moved, markets: new Map(tripMarkets) };
}

const { bridge: BRIDGE, symbolIn, otherQuote } = MARKET_NAMES;

const pricesBy = (priceOf: PriceOf): Prices => ({ marketNames: MARKET_NAMES, priceOf });

interface Terms {
  readonly quote: Currency;
  readonly names: ReadonlySet<string>;
}

function nameOf(asset: string, { quote, names }: Terms): string {
  if (asset === BRIDGE.quote) return BRIDGE.market;
  const direct = symbolIn(asset, quote);
  return names.has(direct) ? direct : symbolIn(asset, otherQuote(quote));
}

function valued(
  fill: FillRecord,
  terms: Terms & { readonly prices: Prices },
): readonly [FillRecord, MovedFill | null] {
  const { quote: currency, prices } = terms;
  const { base, quote } = parseMarket(fill.market);
  if (quote === currency) return [{ ...fill, market: nameOf(base, terms) }, null];
  if (base === currency) return [turned(fill), null];
  const worth = (amount: Units): Units => valueIn(currency, { asset: quote, amount }, prices) ?? NO_UNITS;
  const { side, amount, total, fee, price } = fill;
  const coin = {
    ...fill,
    market: nameOf(base, terms),
    price: worth(price),
    total: worth(total),
    fee: side === 'buy' ? fee : worth(fee),
  };
  const isBuy = side === 'buy';
  const money: MovedFill = {
    ...fill,
    isMoney: true,
    market: nameOf(quote, terms),
    side: isBuy ? 'sell' : 'buy',
    price: worth(UNITS_PER_ONE as Units),
    amount: isBuy ? total : ((total - fee) as Units),
    total: isBuy ? coin.total : ((coin.total - coin.fee) as Units),
    fee: NO_UNITS,
  };
  return [coin, amount === 0n ? null : money];
}

/** A fill in which the run's currency is the coin: what it is traded for is bought and sold for it. */
function turned(fill: FillRecord): FillRecord {
  const { side, amount, total, price } = fill;
  return {
    ...fill,
    market: BRIDGE.market,
    side: side === 'buy' ? 'sell' : 'buy',
    price: (price === 0n ? 0n : divideHalfEven(UNITS_PER_ONE * UNITS_PER_ONE, price)) as Units,
    amount: total,
    total: amount,
  };
}

/**
 * Returns the price of tether in rial at a time: the open of the current bar, its close if it has ended, the
 * first open before all bars. Null without candles.
 */
function bridgePriceAt(candles: CandleColumns | null, atMs: number): Units | null {
  if (candles === null || candles.length === 0) return null;
  let [low, high] = [0, candles.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((candles.openTimeMs[middle] ?? 0) <= atMs) low = middle;
    else high = middle - 1;
  }
  const isOver = gridOfColumns(candles).endOf(candles.openTimeMs[low] ?? 0) <= atMs;
  return cellUnits((isOver ? candles.close : candles.open)[low] ?? 0, columnScale(candles.priceDecimals));
}
