import { Decimal } from 'decimal.js';
import {
  type Candle,
  gridOf,
  liesInside,
  shownAnchors,
  type BarGrid,
  TIMEFRAMES,
  timeframeMs,
} from '../../domain/candle.ts';
import { decimalText } from '../../domain/decimal-text.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { ApiError } from '../api-error.ts';
import type { ChartCandlesReply } from '../schema/series.ts';
import { checkedSymbol } from './market-replies.ts';

/** Finer candles that one reply is put together from. */
const MOST_READ = 20_000;

/**
 * Candles of a market. Where the bot reads none of that timeframe they are put together from the coarsest
 * finer ones that it has: nothing is asked of the exchange.
 */
export function chartCandlesReplyOf(
  reader: MirrorReader,
  of: { readonly symbol: string; readonly timeframe: string; readonly limit: number },
): ChartCandlesReply {
  const market = checkedSymbol(reader, of.symbol);
  const timeframe = TIMEFRAMES.find((known) => known === of.timeframe);
  if (timeframe === undefined)
    throw new ApiError('invalid-request', `expected one of ${TIMEFRAMES.join(', ')}, was another`, {
      field: 'timeframe',
    });
  const kept = reader.markets.timeframes().get(market) ?? [];
  if (kept.includes(timeframe)) {
    const candles = reader.markets.candles({ market, timeframe, last: of.limit });
    return { market, timeframe, isBuilt: false, candles: candles.map((candle) => ({ ...candle })) };
  }
  const { barAnchors } = INTERFACE_PROFILE;
  const source = kept.findLast((finer) => {
    const anchors = shownAnchors(
      finer,
      reader.markets.candles({ market, timeframe: finer, last: 1 }),
      barAnchors,
    );
    return liesInside(gridOf(finer, anchors), gridOf(timeframe, anchors));
  });
  if (source === undefined) return { market, timeframe, isBuilt: false, candles: [] };
  const parts = timeframeMs(timeframe) / timeframeMs(source);
  const last = Math.min(MOST_READ, of.limit * parts);
  const finer = reader.markets.candles({ market, timeframe: source, last });
  const candles = builtCandles(finer, gridOf(timeframe, shownAnchors(source, finer, barAnchors)));
  return { market, timeframe, isBuilt: true, candles: candles.slice(-of.limit) };
}

type Built = ChartCandlesReply['candles'][number];

/** Coarser candles of finer ones, oldest first. A gap inside is made of what is there. */
function builtCandles(candles: readonly Candle[], grid: BarGrid): Built[] {
  const built: Built[] = [];
  for (const candle of candles) {
    const openTimeMs = grid.startOf(candle.openTimeMs);
    const last = built.at(-1);
    if (last === undefined || last.openTimeMs !== openTimeMs) built.push({ ...candle, openTimeMs });
    else
      built[built.length - 1] = {
        openTimeMs,
        open: last.open,
        high: new Decimal(candle.high).gt(last.high) ? candle.high : last.high,
        low: new Decimal(candle.low).lt(last.low) ? candle.low : last.low,
        close: candle.close,
        volume: decimalText(new Decimal(last.volume).plus(candle.volume)),
      };
  }
  return built;
}
