import { routeOfSubscription } from '../event-route.ts';
import type {
  CandleSubscription,
  MemberTemplate,
  PolledSubscription,
  Subscription,
  UniverseSubscription,
} from '../subscriptions.ts';

/** What is wanted of one candidate of a universe. */
export function candidateSubscription(
  market: string,
  template: MemberTemplate,
): CandleSubscription | PolledSubscription {
  return { ...template, market, isPooled: true };
}

/**
 * What a strategy subscribes to: what it wants by itself, its universes, and what they want of each
 * candidate. What is wanted of a market by itself, too, is subscribed to once, and is always asked for.
 */
export function withUniverses(
  plain: readonly Subscription[],
  universes: readonly UniverseSubscription[],
): readonly Subscription[] {
  const routes = new Set(plain.map(routeOfSubscription));
  const more: Subscription[] = [];
  for (const { candidates, templates } of universes) {
    for (const template of templates) {
      for (const market of candidates) {
        const wanted = candidateSubscription(market, template);
        const route = routeOfSubscription(wanted);
        if (routes.has(route)) continue;
        routes.add(route);
        more.push(wanted);
      }
    }
  }
  return [...plain, ...universes, ...more];
}
