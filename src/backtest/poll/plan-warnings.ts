import { ownMarketsOf } from '../../strategy/own-markets.ts';
import type { StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { Track } from './recorded-feed.ts';
import { runWarning, type RunWarning } from '../run-warning.ts';

/**
 * A plan counts as finer than a recording where it looks this much more often than something was recorded.
 */
const FINER = 1.5;

/**
 * Returns where the plan polls more often than the recording changes, and where the recorded data is too old
 * for any order. One sentence each.
 */
export function planWarnings(
  tracks: readonly Track[],
  of: { readonly feeds: readonly PlannedFeed[]; readonly instances: readonly StrategyInstanceSettings[] },
): readonly RunWarning[] {
  return tracks.flatMap((track) => {
    const { symbol } = track.market.state.rules;
    const kinds = [
      { what: 'book', kind: 'book', gapMs: track.books.usualGapMs },
      { what: 'tape', kind: 'public-trades', gapMs: track.trades?.usualGapMs ?? null },
    ] as const;
    return [
      ...kinds.flatMap(({ what, kind, gapMs }) => {
        const feed = of.feeds.find((candidate) => isFeedOf(candidate, kind, symbol));
        if (feed === undefined || gapMs === null || gapMs <= feed.intervalMs * FINER) return [];
        return [
          runWarning('warning.finePlan', {
            what: runWarning(`warning.${what}`),
            market: symbol,
            every: { aboutMs: feed.intervalMs },
            gap: { aboutMs: gapMs },
          }),
        ];
      }),
      ...of.instances.flatMap(({ runner, limits }) =>
        tooOld(symbol, track.books.usualGapMs, { runner, limits }),
      ),
    ];
  });
}

function isFeedOf(feed: PlannedFeed, kind: 'book' | 'public-trades', symbol: string): boolean {
  return (feed.kind === kind && feed.market === symbol) || (kind === 'book' && feed.kind === 'books');
}

function tooOld(
  symbol: string,
  gapMs: number | null,
  { runner, limits }: Pick<StrategyInstanceSettings, 'runner' | 'limits'>,
): readonly RunWarning[] {
  const { maxBookVenueAgeMs } = limits;
  if (
    !ownMarketsOf(runner).includes(symbol) ||
    gapMs === null ||
    maxBookVenueAgeMs === null ||
    gapMs <= maxBookVenueAgeMs
  )
    return [];
  return [
    runWarning('warning.oldBooks', {
      market: symbol,
      gap: { aboutMs: gapMs },
      strategy: runner.name,
      most: { aboutMs: maxBookVenueAgeMs },
      setting: 'risk.maxBookVenueAge',
    }),
  ];
}
