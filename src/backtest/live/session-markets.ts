import { type Candle, gridOf, shownAnchors } from '../../domain/candle.ts';
import { columnsOf, type CandleColumns } from '../../domain/candle-columns.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import { createMarket, type Market } from '../../domain/market.ts';
import { formatUnits, LEAST_UNITS, parseUnits } from '../../domain/money.ts';
import { MARKET_NAMES, parseMarket } from '../../exchange/market-names.ts';
import type { FillRecord } from '../../records/fill.ts';
import type { SessionRows } from '../../mirror/session-rows.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import { needsBridge } from '../run-currency.ts';
import type { PricePoint } from './price-history.ts';

/** Markets that were traded or have candles, and the bridge where the money of two currencies meets. */
export function sessionMarkets(rows: SessionRows, currency: Currency | null): readonly Market[] {
  const symbols = new Set<string>([
    ...rows.series.map(({ market }) => market),
    ...rows.fills.map(({ market }) => market),
    ...rows.orders.map(({ market }) => market),
  ]);
  const { bridge } = MARKET_NAMES;
  const quotes = [...symbols].map((symbol) => parseMarket(symbol));
  const isKnown = rows.prices.some(({ market }) => market === bridge.market);
  if (needsBridge(quotes, currency) && isKnown) symbols.add(bridge.market);
  if (symbols.size === 0) for (const { market } of rows.prices) symbols.add(market);
  const versions = new Map(rows.markets.map((version) => [version.symbol, version]));
  return [...symbols].toSorted().map((symbol) => {
    const market = parseMarket(symbol);
    const version = versions.get(symbol);
    const least = formatUnits(LEAST_UNITS);
    return createMarket({ market, priceStep: least, amountStep: least, ...version });
  });
}

/** The candles of a market in the range, and its other prices: of the candle before, fills, readings. */
export function historyOf(
  { series, prices }: SessionRows,
  { symbol }: Market,
  { until, fromMs }: { readonly until: readonly FillRecord[]; readonly fromMs: number },
): { readonly candles: CandleColumns; readonly traded: readonly PricePoint[] } {
  const found = series.find(({ market }) => market === symbol);
  const timeframe = found?.timeframe ?? '1m';
  const all = found?.candles ?? [];
  const anchors = shownAnchors(timeframe, all, INTERFACE_PROFILE.barAnchors);
  const grid = gridOf(timeframe, anchors);
  const endOf = ({ openTimeMs }: Candle): number => grid.endOf(openTimeMs);
  const before = all
    .filter((candle) => endOf(candle) <= fromMs)
    .map((candle) => ({ atMs: endOf(candle), price: parseUnits(candle.close) }));
  const own = until.flatMap(({ market, atMs, price }) => (market === symbol ? [{ atMs, price }] : []));
  const seen = prices.flatMap(({ market, atMs, price }) =>
    market === symbol ? [{ atMs, price: parseUnits(price) }] : [],
  );
  return {
    candles: columnsOf({ market: symbol, timeframe, anchors }, all.slice(before.length)),
    traded: [...before, ...own, ...seen].toSorted((left, right) => left.atMs - right.atMs),
  };
}
