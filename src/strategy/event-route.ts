import { marginTopic } from '../records/margin.ts';
import type { StrategyEvent } from './strategy-event.ts';
import { isOfMargin, type Subscription } from './subscriptions.ts';

/** Returns the route of a subscription: `book BTCIRT`, `candles BTCIRT 1h`, `timer day`, `margin pools`. */
export function routeOfSubscription(wanted: Subscription): string {
  if (wanted.kind === 'timer' || wanted.kind === 'signal' || wanted.kind === 'universe')
    return `${wanted.kind} ${wanted.name}`;
  if (isOfMargin(wanted)) return `margin ${marginTopic(wanted)}`;
  return wanted.kind === 'candles'
    ? `candles ${wanted.market} ${wanted.timeframe}`
    : `${wanted.kind} ${wanted.market}`;
}

/** The same of an event; its kind alone where nobody subscribes to it. */
export function routeOfEvent(event: StrategyEvent): string {
  switch (event.kind) {
    case 'candle':
      return `candles ${event.candle.market} ${event.candle.timeframe}`;
    case 'book':
    case 'trades':
      return `${event.kind} ${event.market}`;
    case 'stats':
      return `stats ${event.stats.market.symbol}`;
    case 'margin':
      return `margin ${marginTopic(event.seen.reading)}`;
    case 'timer':
    case 'signal':
    case 'universe':
      return `${event.kind} ${event.name}`;
    case 'start':
    case 'stop':
    case 'fill':
    case 'order':
    case 'transfer':
    case 'reject':
      return event.kind;
  }
}
