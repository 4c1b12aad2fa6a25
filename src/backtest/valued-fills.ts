import { type Units, UNITS_PER_ONE, negateUnits, NO_UNITS, divideHalfEven } from '../domain/money.ts';
import { quoteMoved, type FillRecord } from '../records/fill.ts';
import {
  cellUnits,
  columnScale,
  gridOfColumns,
  type CandleColumns,
  firstBarFrom,
} from '../domain/candle-columns.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { parseMarket, MARKET_NAMES } from '../exchange/market-names.ts';
import { valueIn, type PriceOf, type Prices } from '../portfolio/holding.ts';
import { valueAt, type MovedFill, type TripMarket } from '../portfolio/round-trips.ts';
import type { BacktestRun } from './backtest-run.ts';

/** Fills of a run with all money in the run's currency. */
interface ValuedFills {
  /** Trades of the run, one for each fill. */
  readonly traded: readonly FillRecord[];
  /** Fills, and movements of the other quote currency, so that the money of each trade is accounted for. */
  readonly moved: readonly MovedFill[];
  /** Data of each market, by the names that the fills have here. */
  readonly markets: ReadonlyMap<string, TripMarket>;
}

/**
 * Converts the fills of several markets into one currency. Each coin gets one name, that of its market in the
 * run's currency if there is one, so that a coin bought in one market can be sold in another. A fill in the
 * other quote currency is valued at its time, by the open of the current bar of `USDTIRT`. It becomes two
 * fills: one of the coin, and one of the currency, which a sale buys and a purchase sells. A run in one
 * currency is unchanged.
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
          {
            base: market.base,
            amountStep: market.amountStep,
            minOrderValue: market.minOrderValue,
            lastPrice,
          },
        ]),
      ),
    };
  }
  const bridge = markets.find(({ market }) => market.symbol === BRIDGE.market)?.candles ?? null;
  // A live session may have read this price with the statistics only.
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
        base: asset,
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
  const { side, amount, total, fee, feeCurrency, feeValue, price } = fill;
  const isBuy = side === 'buy';
  const coin = {
    ...fill,
    market: nameOf(base, terms),
    price: worth(price),
    total: worth(total),
    fee: isBuy || feeCurrency !== null ? fee : worth(fee),
    feeValue: feeValue === null ? null : worth(feeValue),
  };
  const feeInMoney = feeCurrency === null ? !isBuy : feeCurrency === quote;
  const feeWorth = feeInMoney ? (coin.feeValue ?? coin.fee) : NO_UNITS;
  const money: MovedFill = {
    ...fill,
    isMoney: true,
    market: nameOf(quote, terms),
    side: isBuy ? 'sell' : 'buy',
    price: worth(UNITS_PER_ONE as Units),
    amount: isBuy ? negateUnits(quoteMoved(fill, quote)) : quoteMoved(fill, quote),
    total: (isBuy ? coin.total + feeWorth : coin.total - feeWorth) as Units,
    fee: NO_UNITS,
    feeCurrency: null,
    feeValue: null,
  };
  return [coin, amount === 0n ? null : money];
}

/** Turns a fill around whose coin is the run's currency, into a fill of the currency it was traded for. */
function turned(fill: FillRecord): FillRecord {
  const { side, amount, total, price, feeValue } = fill;
  const inverse = (price === 0n ? 0n : divideHalfEven(UNITS_PER_ONE * UNITS_PER_ONE, price)) as Units;
  return {
    ...fill,
    market: BRIDGE.market,
    side: side === 'buy' ? 'sell' : 'buy',
    price: inverse,
    amount: total,
    total: amount,
    feeValue: feeValue === null ? null : valueAt(inverse, feeValue),
  };
}

/**
 * Returns the price of tether in rial at a time: the open of the current bar, its close if it has ended, or
 * the first open before all bars. Null without candles.
 */
function bridgePriceAt(candles: CandleColumns | null, atMs: number): Units | null {
  if (candles === null || candles.length === 0) return null;
  const bar = Math.max(0, firstBarFrom(candles, atMs + 1) - 1);
  const isOver = gridOfColumns(candles).endOf(candles.openTimeMs[bar] ?? 0) <= atMs;
  return cellUnits((isOver ? candles.close : candles.open)[bar] ?? 0, columnScale(candles.priceDecimals));
}
