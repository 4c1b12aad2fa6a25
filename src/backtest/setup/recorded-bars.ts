import type { BarRecording } from '../poll/recorded-feed.ts';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { timeframeMs, type Timeframe } from '../../domain/timeframe.ts';
import type { StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import type { Catalogue } from '../../recording/catalogue.ts';
import { partitionsWithin } from '../../recording/read-partitions.ts';
import type { TimeRange } from '../../recording/records.ts';

/**
 * Bars of the past are looked for this much further back than strategies need them, since some may be
 * missing.
 */
const SPARE = 2;

/**
 * The recorded bars of a market that its strategies look at, and what they need of the past: those of the
 * very length, else the coarsest finer ones that make it. Empty where none are recorded. Throws as
 * `readCandles` does for a damaged file.
 */
export async function recordedBars(
  catalogue: Catalogue,
  of: {
    readonly market: MarketSymbol;
    readonly instances: readonly StrategyInstanceSettings[];
    readonly range: TimeRange;
  },
): Promise<readonly BarRecording[]> {
  const { market, instances, range } = of;
  const recorded = catalogue
    .keys()
    .flatMap((key) => (key.kind === 'candles' && key.market === market ? [key.timeframe] : []));
  /** How far back each timeframe is wanted. */
  const reachMs = new Map<Timeframe, number>();
  for (const { runner } of instances) {
    for (const wanted of runner.subscriptions) {
      if (wanted.kind !== 'candles' || wanted.market !== market) continue;
      const lengthMs = timeframeMs(wanted.timeframe);
      const neededMs = (runner.warmUpLength(wanted) + 1) * lengthMs * SPARE;
      // Those of another time are of no use, and must not stand before finer ones that are.
      const fromMs = range.fromMs - neededMs;
      const there = recorded.filter(
        (timeframe) =>
          partitionsWithin(
            catalogue.root,
            { market, kind: 'candles', timeframe },
            { fromMs, toMs: range.toMs },
          ).length > 0,
      );
      const source = sourceOf(lengthMs, there);
      if (source === null) continue;
      reachMs.set(source, Math.max(neededMs, reachMs.get(source) ?? 0));
    }
  }
  const all = await Promise.all(
    [...reachMs].map(async ([timeframe, neededMs]): Promise<BarRecording | null> => {
      const covered = catalogue.manifest({ market, kind: 'candles', timeframe })?.covered ?? [];
      const question = { market, timeframe, fromMs: range.fromMs - neededMs, toMs: range.toMs };
      const columns = await columnsOf(catalogue, question);
      return columns === null ? null : { columns, covered };
    }),
  );
  return all.filter((bars) => bars !== null);
}

function sourceOf(lengthMs: number, there: readonly Timeframe[]): Timeframe | null {
  const [coarsest] = there
    .filter((timeframe) => lengthMs % timeframeMs(timeframe) === 0)
    .toSorted((left, right) => timeframeMs(right) - timeframeMs(left));
  return coarsest ?? null;
}

async function columnsOf(
  catalogue: Catalogue,
  question: Parameters<Catalogue['readCandles']>[0],
): Promise<CandleColumns | null> {
  try {
    return await catalogue.readCandles(question);
  } catch (error) {
    if (error instanceof SarrafError && error.code === 'INVALID_OPTIONS') return null;
    throw error;
  }
}
