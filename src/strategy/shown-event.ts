import { SarrafError } from '../domain/errors.ts';
import { present } from '../domain/invariant.ts';
import { barOf } from './bar.ts';
import { bookOf } from './book.ts';
import type { DataEntry } from './check-data.ts';
import { frozenCopy } from './frozen-copy.ts';
import { marketDayOf } from './market-day.ts';
import { marginOf } from './shown-margin.ts';
import { fillOf } from './own-order.ts';
import type { ClosedCandle, StrategyEvent } from './strategy-event.ts';
import { transferOf } from './shown-transfer.ts';
import { signalOf } from './signal.ts';
import { tapeOf } from './tape.ts';
import { tickerOfBar, tickerOfBook } from './ticker.ts';
import { universeEventOf } from './shown-universe.ts';

/** The kind of data that something is shown as. */
export interface ShownAs {
  readonly kind: DataEntry['kind'] | 'universe';
  /** Of the payload of a signal. */
  readonly schema?: DataEntry['schema'];
}

/** There is nothing to tell: a side of the book is empty. */
export const NOTHING_SHOWN = Symbol('nothing shown');

/**
 * Returns the event argument of a handler. `data` is the handler's declared data; null for events of the
 * strategy's own life. All of it is frozen.
 */
export function eventFor(data: ShownAs | null, event: Exclude<StrategyEvent, { kind: 'candle' }>): unknown {
  switch (event.kind) {
    case 'start':
      return Object.freeze({ isRestart: event.isRestart });
    case 'stop':
      return Object.freeze({ reason: event.reason });
    case 'book':
      if (data?.kind !== 'ticker') return bookOf(event.market, event.book);
      return tickerOfBook(event.market, event.book) ?? NOTHING_SHOWN;
    case 'trades':
      return tapeOf(event);
    case 'stats':
      return marketDayOf(event.stats);
    case 'margin':
      return marginOf(event.seen);
    case 'timer':
      return Object.freeze({ name: event.name, dueMs: event.dueMs });
    case 'signal':
      return signalOf(present(data?.schema, 'the schema of a declared signal'), event);
    case 'universe':
      return universeEventOf(event);
    case 'fill':
      return fillOf(event.fill);
    case 'order':
      return Object.freeze({ ...event.order });
    case 'transfer':
      return transferOf(event.transfer);
    case 'reject':
      return frozenCopy(event.rejection);
  }
}

/** Returns the argument of a handler for a candle: the bar, or the ticker made of it. */
export function candleFor(data: ShownAs | null, candle: ClosedCandle): unknown {
  const bar = barOf(candle);
  return data?.kind === 'ticker' ? tickerOfBar(bar) : bar;
}

/** Returns the error for a handler that returned something. */
export function wrongAnswer(answer: unknown): SarrafError {
  const isPromise = answer instanceof Promise;
  // What it comes to is of no use to anybody, and must not end the process when that is an error.
  if (isPromise) answer.catch(() => {});
  const was = isPromise
    ? 'a promise: leave out "async" and "await"'
    : `${saidAnswer(answer)}: put its body in braces, and return nothing`;
  return new SarrafError(
    'INVALID_STRATEGY',
    `expected a handler that returns nothing and does not wait, was ${was}; place orders with ctx.buy and the like, and change the state with ctx.setState`,
  );
}

function saidAnswer(answer: unknown): string {
  try {
    return JSON.stringify(answer)?.slice(0, 100) ?? `a ${typeof answer}`;
  } catch {
    return `a ${typeof answer}`;
  }
}
