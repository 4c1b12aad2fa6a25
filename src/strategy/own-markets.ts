import type { StrategyPort } from './strategy-port.ts';
import type { UniverseSubscription } from './subscriptions.ts';
import type { UniverseRules } from './universe-rules.ts';

type Placed = Pick<StrategyPort, 'market' | 'subscriptions'>;

/** The universe in each member of which a strategy of one market runs; null for one that has a market. */
export function memberUniverseOf({
  subscriptions,
}: Pick<Placed, 'subscriptions'>): UniverseSubscription | null {
  for (const wanted of subscriptions)
    if (wanted.kind === 'universe' && wanted.isPerMember === true) return wanted;
  return null;
}

/** The market that a strategy has of its own; none where it runs in each member of a universe. */
export function ownMarketsOf(placed: Placed): readonly string[] {
  return memberUniverseOf(placed) === null ? [placed.market] : [];
}

/** Returns a strategy's markets as text for people: its market, or `10 rls markets by volume24h`. */
export function placeText(placed: Placed): string {
  const universe = memberUniverseOf(placed);
  return universe === null ? placed.market : universeText(universe.rules);
}

export function universeText({
  take,
  quote,
  rankBy,
}: Pick<UniverseRules, 'take' | 'quote' | 'rankBy'>): string {
  return `${take} ${quote} markets by ${rankBy}`;
}
