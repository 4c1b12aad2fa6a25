import type { EngineView, StrategyEvent } from '../strategy/strategy-event.ts';
import { isLook } from './strategy-thread.ts';
import { keyOf, eventData, type Look, type WorkerCall } from './worker-messages.ts';

/** Most looks that are remembered for a kind of event; further ones are asked for each time. */
const MOST_LOOKS = 32;

/**
 * Data that the handlers of one strategy read, by the kind of event: it is sent with the next event of that
 * kind, so that a call costs one round trip. An object that has not changed is not sent again.
 */
export class Looks {
  private readonly byKind = new Map<string, Map<string, Look>>();
  private readonly sent = new Map<string, object>();

  /** Returns the data to send with an event. */
  of(event: StrategyEvent, view: EngineView): Pick<WorkerCall, 'looks' | 'same' | 'inEvent'> {
    const looks: (readonly [string, unknown])[] = [];
    const same: string[] = [];
    const inEvent: string[] = [];
    const data = eventData(event);
    for (const [key, look] of this.byKind.get(event.kind) ?? []) {
      const value = valueOf(look, view);
      if (typeof value === 'object' && value !== null) {
        if (this.sent.get(key) === value) same.push(key);
        else {
          this.sent.set(key, value);
          if (value === data) inEvent.push(key);
          else looks.push([key, value]);
        }
      } else looks.push([key, value]);
    }
    return { looks, same, inEvent };
  }

  /** Answers a question of a handler, and remembers it. Null answers what is no question. */
  answer(asked: unknown, kind: string, view: EngineView): unknown {
    if (!isLook(asked)) return null;
    const known = this.byKind.get(kind) ?? new Map<string, Look>();
    this.byKind.set(kind, known);
    const key = keyOf(asked);
    const value = valueOf(asked, view);
    if (known.size < MOST_LOOKS && value !== undefined) {
      known.set(key, asked);
      if (typeof value === 'object' && value !== null) this.sent.set(key, value);
    }
    return value ?? null;
  }

  /** A new thread begins: nothing has been sent to it. */
  forgetSent(): void {
    this.sent.clear();
  }
}

/** Returns the view's data for a read; undefined for an unknown method. */
function valueOf([method, first = '', second = '']: Look, view: EngineView): unknown {
  switch (method) {
    case 'position':
      return view.position(first);
    case 'inventory':
      return view.inventory(first);
    case 'free':
      return view.free();
    case 'orders':
      return view.orders();
    case 'book':
      return view.book(first);
    case 'stats':
      return view.stats(first);
    case 'margin':
      return view.margin(first);
    case 'rules':
      return view.rules(first);
    case 'locks':
      return view.locks(first);
    case 'universe':
      return view.universe(first);
    case 'equity':
      return view.equity(first);
    case 'ageMs':
      return view.ageMs(first as Parameters<EngineView['ageMs']>[0], second);
    case 'accountAgeMs':
      return view.accountAgeMs(first as Parameters<EngineView['accountAgeMs']>[0]);
    default:
      return undefined;
  }
}
