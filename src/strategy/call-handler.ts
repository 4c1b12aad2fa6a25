import { SarrafError } from '../domain/errors.ts';
import type { StrategyDefinition } from './definition.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { HandlerContext } from './handler-context.ts';
import type { StrategyEvent } from './strategy-event.ts';

/** The handler of each kind of event. */
export const HANDLERS = {
  start: 'onStart',
  stop: 'onStop',
  candle: 'onCandle',
  book: 'onBook',
  trades: 'onTrades',
  stats: 'onStats',
  timer: 'onTimer',
  fill: 'onFill',
  order: 'onOrder',
  reject: 'onReject',
} as const satisfies Record<StrategyEvent['kind'], keyof StrategyDefinition>;

/**
 * Calls the handler of an event, if there is one, and answers whatever that answers. What the event holds is handed over as a frozen copy, since the
 * engine and other strategies go on reading it. Candles have a shorter way: see the runner.
 */
export function callHandler(
  definition: StrategyDefinition,
  event: Exclude<StrategyEvent, { kind: 'candle' }>,
  context: HandlerContext,
): unknown {
  switch (event.kind) {
    case 'start':
      return definition.onStart?.(context, { isRestart: event.isRestart });
    case 'stop':
      return definition.onStop?.(context, { reason: event.reason });
    case 'book': {
      const { market, seenAtMs } = event;
      if (definition.onBook === undefined) return undefined;
      const { bids, asks, updatedAtMs } = frozenCopy(event.book);
      return definition.onBook(context, Object.freeze({ market, bids, asks, updatedAtMs, seenAtMs }));
    }
    case 'trades': {
      const { market, hasGap, seenAtMs } = event;
      const trades = frozenCopy(event.trades);
      return definition.onTrades?.(context, Object.freeze({ market, trades, hasGap, seenAtMs }));
    }
    case 'stats':
      return definition.onStats?.(context, Object.freeze({ ...frozenCopy(event.stats), seenAtMs: event.seenAtMs }));
    case 'timer':
      return definition.onTimer?.(context, { name: event.name, dueMs: event.dueMs });
    case 'fill':
      return definition.onFill?.(context, Object.freeze({ ...event.fill }));
    case 'order':
      return definition.onOrder?.(context, Object.freeze({ ...event.order }));
    case 'reject':
      return definition.onReject?.(context, frozenCopy(event.rejection));
  }
}

/** What to say of an invalid answer. */
export function wrongAnswer(answer: unknown): SarrafError {
  const isPromise = answer instanceof Promise;
  // What it comes to is of no use to anybody, and must not end the process when that is an error.
  if (isPromise) answer.catch(() => {});
  const was = isPromise ? 'a promise' : (JSON.stringify(answer)?.slice(0, 100) ?? `a ${typeof answer}`);
  return new SarrafError(
    'INVALID_STRATEGY',
    `expected { state, intents } from a handler that does not wait, was ${was}`,
  );
}

/** What a handler threw, which may be anything. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'threw something that can not be said';
  }
}
