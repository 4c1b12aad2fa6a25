import { z } from 'zod';
import type { MarketStats } from '../../domain/market-stats.ts';
import { decimalOrNull, flagOrNull, readMarket, recordOf, textOrNull } from '../reply-types.ts';

const statsRecord = z.object({
  isClosed: flagOrNull,
  isClosedReason: textOrNull,
  bestSell: decimalOrNull,
  bestBuy: decimalOrNull,
  volumeSrc: decimalOrNull,
  volumeDst: decimalOrNull,
  latest: decimalOrNull,
  mark: decimalOrNull,
  dayLow: decimalOrNull,
  dayHigh: decimalOrNull,
  dayOpen: decimalOrNull,
  dayClose: decimalOrNull,
  dayChange: decimalOrNull,
});

/** One entry a market asked for; markets with an unknown quote currency are skipped. */
export const marketStatsReply = z
  .object({ stats: recordOf(statsRecord) })
  .transform((wire): readonly MarketStats[] => {
    const all: MarketStats[] = [];
    for (const [key, { isClosed, isClosedReason, volumeSrc, volumeDst, ...numbers }] of Object.entries(
      wire.stats,
    )) {
      const market = readMarket(key);
      if (market === null) continue;
      const volumes = { baseVolume: volumeSrc, quoteVolume: volumeDst };
      all.push({ market, isClosed: isClosed ?? false, closedReason: isClosedReason, ...volumes, ...numbers });
    }
    return all;
  });
