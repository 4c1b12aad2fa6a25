import { SarrafError } from '../domain/errors.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { marginTopic } from '../domain/margin.ts';
import { isOfMargin, type Subscription } from '../strategy/subscriptions.ts';

/** Data that candles do not contain, and where it is recorded. */
const UNSERVED: Readonly<Partial<Record<Subscription['kind'], string>>> = {
  book: 'the book',
  trades: 'the trades',
  stats: 'the statistics',
};

/**
 * Refuses a run on candles whose strategies subscribe to what candles do not hold: such a strategy would
 * get no event, and end as one that wanted nothing. Throws `INVALID_OPTIONS` that names each.
 */
export function refuseUnserved(instances: readonly Pick<StrategyInstanceSettings, 'runner'>[]): void {
  const wanted = instances.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((subscription) => {
      const what = UNSERVED[subscription.kind];
      if (what === undefined || !('market' in subscription)) return [];
      return [`${runner.name} subscribes to ${what} of ${subscription.market}`];
    }),
  );
  const ofMargin = instances.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((subscription) =>
      isOfMargin(subscription) ? [`${runner.name} subscribes to ${marginTopic(subscription)}`] : [],
    ),
  );
  if (ofMargin.length > 0) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected subscriptions that a backtest can serve: ${ofMargin.join(', ')}, and nobody records margin. Run it with mode embedded or live`,
    );
  }
  if (wanted.length === 0) return;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected subscriptions that candles can serve: ${wanted.join(', ')}, which candles do not hold. Run it with --fidelity poll on recorded books and trades ("sarraf record", or "sarraf data import --kind depth"), or let it declare market.ticker() or candles where "hasBooks" of data is false`,
  );
}
