import type { BarRecording } from '../poll/recorded-feed.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { gridOf, liesInside, type BarAnchors } from '../../domain/bar-grid.ts';
import { timeframeMs, type Timeframe } from '../../domain/timeframe.ts';
import type { StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import type { TimeRange } from '../../recording/records.ts';
import type { RecordedCandles } from './recordings.ts';

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
  candles: RecordedCandles,
  of: {
    readonly market: MarketSymbol;
    readonly instances: readonly StrategyInstanceSettings[];
    readonly range: TimeRange;
  },
): Promise<readonly BarRecording[]> {
  const { market, instances, range } = of;
  const recorded = candles.timeframes(market);
  /** Required history of each timeframe. */
  const reachMs = new Map<Timeframe, number>();
  for (const { runner } of instances) {
    for (const wanted of runner.subscriptions) {
      if (wanted.kind !== 'candles' || wanted.market !== market) continue;
      const lengthMs = timeframeMs(wanted.timeframe);
      const neededMs = (runner.warmUpLength(wanted) + 1) * lengthMs * SPARE;
      // Those of another time are of no use, and must not stand before finer ones that are.
      const fromMs = range.fromMs - neededMs;
      const there = recorded.filter((timeframe) =>
        candles.reachInto({ market, timeframe }, { fromMs, toMs: range.toMs }),
      );
      const source = sourceOf(wanted.timeframe, there, (timeframe) => candles.anchors({ market, timeframe }));
      if (source === null) continue;
      reachMs.set(source, Math.max(neededMs, reachMs.get(source) ?? 0));
    }
  }
  const all = await Promise.all(
    [...reachMs].map(async ([timeframe, neededMs]): Promise<BarRecording | null> => {
      const key = { market, timeframe };
      const columns = await candles.read(key, { fromMs: range.fromMs - neededMs, toMs: range.toMs });
      return columns === null ? null : { columns, covered: candles.covered(key) };
    }),
  );
  return all.filter((bars) => bars !== null);
}

function sourceOf(
  wanted: Timeframe,
  there: readonly Timeframe[],
  anchorsOf: (timeframe: Timeframe) => BarAnchors,
): Timeframe | null {
  const [coarsest] = there
    .filter((timeframe) => {
      const anchors = anchorsOf(timeframe);
      return liesInside(gridOf(timeframe, anchors), gridOf(wanted, anchors));
    })
    .toSorted((left, right) => timeframeMs(right) - timeframeMs(left));
  return coarsest ?? null;
}
