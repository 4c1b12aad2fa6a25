import { routeOfSubscription } from './event-route.ts';
import type {
  CandleSubscription,
  MemberTemplate,
  PolledSubscription,
  Subscription,
  UniverseSubscription,
} from './subscriptions.ts';

/** Returns the subscription for one candidate of a universe. */
export function candidateSubscription(
  market: string,
  template: MemberTemplate,
): CandleSubscription | PolledSubscription {
  return { ...template, market, isPooled: true };
}

/**
 * Returns all subscriptions of a strategy: its own, its universes, and those for each candidate. A market
 * subscription that is also its own is subscribed to once, and is always polled.
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
