import { EnginePart } from '../engine-settings.ts';
import { present } from '../../domain/errors.ts';
import { leastAmountAt } from '../../domain/market.ts';
import { formatUnits } from '../../domain/money.ts';
import type { FillRecord } from '../../records/fill.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import type { Intent } from '../../strategy/intents.ts';
import type { Rejection, StrategyEvent } from '../../strategy/strategy-event.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { MirrorState } from '../mirror-change.ts';
import { rejectionOf } from '../order-rejection.ts';
import { type Outbox, OutboxPart } from '../outbox.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import { english, type Sentence } from '../../language/sentence.ts';
import { restored, type StoredValue } from '../stored-records.ts';

/**
 * Maximum number of events that wait for strategies, before they have started or within one step. Beyond it
 * the oldest are dropped, with a warning.
 */
const MOST_WAITING = 10_000;

const NO_REJECTION: Rejection = {
  intent: null,
  clientOrderId: null,
  market: null,
  side: null,
  tag: null,
  exit: null,
  code: '',
  reason: '',
};

/** Reason an intent is not served. */
export interface IntentRefusal {
  readonly code: string;
  readonly reason: Sentence;
}

interface StrategyNotifierOptions {
  readonly instances: readonly StrategyInstance[];
  readonly outbox: Outbox;
  readonly markets: MarketDataCache;
}

/** Queues the events of strategies: their fills, orders and rejections, and all other events. */
export class StrategyNotifier extends EnginePart<StrategyNotifierOptions> {
  readonly queue = new EventQueue();
  readonly instancesByName: ReadonlyMap<string, StrategyInstance>;
  private readonly absent: AbsentFills;

  constructor(options: StrategyNotifierOptions) {
    super(options);
    this.absent = new AbsentFills(options.outbox);
    this.instancesByName = new Map(options.instances.map((instance) => [instance.name, instance]));
  }

  /** Queues an event for a strategy. */
  notify(instance: StrategyInstance, event: StrategyEvent): void {
    if (!instance.runner.wants(event.kind)) return;
    this.queue.push({ instance, event });
    if (this.queue.length <= MOST_WAITING) return;
    this.queue.shift();
    this.options.outbox.warn(
      `more than ${MOST_WAITING} events wait for the strategies: the oldest was dropped`,
    );
  }

  /** Applies a fill to the strategy of its order; a fill without an order of the bot is ignored. */
  onFill(fill: FillRecord, order: OrderRecord | null): void {
    if (order !== null) this.applyFill({ fill, tag: order.tag, exit: order.exit }, order);
  }

  /** Corrects wrongly booked fills of a strategy: the difference and how many more there are. No event. */
  onCorrection(by: FillRecord, more: number): void {
    if (by.strategy === null) return;
    const instance = this.instancesByName.get(by.strategy);
    if (instance === undefined) this.absent.add({ fill: by, tag: null, exit: null });
    else instance.correctFills(by, more);
  }

  /** Called when an order has changed; `before` is null for a new order, of which nobody is notified. */
  readonly onOrder = (order: OrderRecord, before: OrderRecord | null): void => {
    if (before === null) return;
    const instance = this.instancesByName.get(order.strategy);
    if (instance === undefined) return;
    if (order.state === 'sending' || (order.state === 'cancelling' && before.state !== 'cancelling')) {
      instance.requests += 1;
      instance.isDirty = true;
    }
    if (order.state === before.state && order.matched === before.matched) return;
    if (order.state === 'rejected') this.onOrderRejected(instance, order);
    else if (order.state !== 'sending' && order.state !== 'planned' && instance.runner.wants('order')) {
      this.notify(instance, {
        kind: 'order',
        order: {
          clientOrderId: order.key,
          market: order.market,
          status: isFinal(order) || order.venueStatus === null ? order.state : order.venueStatus,
          code: order.reason === null ? null : english(order.reason),
          tag: order.tag,
          exit: order.exit,
        },
      });
    }
  };

  /** Notifies a strategy that one of its intents was refused. */
  refuse(instance: StrategyInstance, intent: Intent, { code, reason }: IntentRefusal): void {
    this.reject(instance, {
      intent,
      clientOrderId: null,
      market: 'market' in intent ? (intent.market ?? null) : null,
      side: 'side' in intent ? intent.side : null,
      tag: 'tag' in intent ? (intent.tag ?? null) : null,
      code,
      reason,
    });
  }

  /** Notifies a strategy that one of its intents or orders was refused. */
  reject(
    instance: StrategyInstance,
    rejected: Partial<Omit<Rejection, 'reason'>> & Pick<Rejection, 'code'> & { readonly reason: Sentence },
  ): void {
    const { outbox } = this.options;
    const reason = english(rejected.reason);
    const rejection: Rejection = { ...NO_REJECTION, ...rejected, reason };
    const { intent, clientOrderId, code, market, side } = rejection;
    const refused = intent?.kind ?? (clientOrderId === null ? 'slice' : 'order');
    instance.tally.refuse({ what: refused, code, reason: rejected.reason, atMs: outbox.nowMs });
    const what = [intent?.kind ?? 'order', side, market].filter((part) => part !== null).join(' ');
    // Refused orders, and refusals by a lock or a person, are logged elsewhere. While no orders are accepted,
    // one line per minute is enough.
    const isReported =
      clientOrderId !== null ||
      code.startsWith('lock ') ||
      (code === 'approval' && intent !== null) ||
      (code === 'closed' && !instance.mayComplain(outbox.nowMs));
    if (!isReported) outbox.info(`${instance.name}: ${what} refused (${code}): ${reason}`, instance.name);
    this.notify(instance, { kind: 'reject', rejection });
  }

  private onOrderRejected(instance: StrategyInstance, order: OrderRecord): void {
    const rejection = rejectionOf(order);
    if (rejection === null) return;
    const { key, market, side, tag, exit } = order;
    this.reject(instance, { clientOrderId: key, market, side, tag, exit, ...rejection });
  }

  /** Restores the fills that came while their strategies were not running, and delivers them. */
  restore({ stored }: MirrorState): void {
    this.absent.fills = restored(stored, 'absent-fills') ?? [];
    for (const absent of this.absent.release(
      ({ strategy }) => strategy !== null && this.instancesByName.has(strategy),
    )) {
      const { fill } = absent;
      if (fill.amount <= 0n) {
        this.onCorrection(fill, fill.amount < 0n ? -1 : 0);
        continue;
      }
      const key = present(
        fill.orderKey,
        () => `the order of the trade ${fill.tradeId}, which waited for its strategy`,
      );
      this.applyFill(absent, { key, strategy: present(fill.strategy, 'the strategy of that trade') });
    }
  }

  private applyFill({ fill, tag, exit }: AbsentFill, order: Pick<OrderRecord, 'key' | 'strategy'>): void {
    const instance = this.instancesByName.get(order.strategy);
    if (instance === undefined) {
      this.absent.add({ fill: { ...fill, orderKey: order.key, strategy: order.strategy }, tag, exit });
      return;
    }
    const { markets } = this.options;
    const market = markets.get(fill.market)?.market;
    const leastAmount = market === undefined ? null : leastAmountAt(market, fill.price);
    instance.applyFill(fill, { leastAmount, priceOf: (symbol) => markets.priceOf(symbol) });
    if (!instance.runner.wants('fill')) return;
    const { side, atMs, price, amount, total, fee, feeCurrency } = fill;
    this.notify(instance, {
      kind: 'fill',
      fill: {
        clientOrderId: order.key,
        market: fill.market,
        timeMs: atMs,
        side,
        price: formatUnits(price),
        amount: formatUnits(amount),
        total: formatUnits(total),
        fee: formatUnits(fee),
        feeCurrency,
        tag,
        exit,
      },
    });
  }
}

/** An event and the strategy that gets it. */
export interface QueuedEvent {
  readonly instance: StrategyInstance;
  readonly event: StrategyEvent;
}

const FIRST_ROOM = 16;

/**
 * Queue of events for strategies, as a ring: it is filled and emptied at every event, and a list would be
 * allocated each time.
 */
export class EventQueue {
  private slots: (QueuedEvent | null)[] = emptySlots(FIRST_ROOM);
  private head = 0;
  length = 0;

  push(queued: QueuedEvent): void {
    if (this.length === this.slots.length) this.grow();
    this.slots[(this.head + this.length) & (this.slots.length - 1)] = queued;
    this.length += 1;
  }

  /** Puts an event before all others. */
  unshift(queued: QueuedEvent): void {
    if (this.length === this.slots.length) this.grow();
    this.head = (this.head - 1) & (this.slots.length - 1);
    this.slots[this.head] = queued;
    this.length += 1;
  }

  /** Removes and returns the next event; null if there is none. */
  shift(): QueuedEvent | null {
    if (this.length === 0) return null;
    const queued = present(this.slots[this.head], 'something at the head of a queue that is not empty');
    this.slots[this.head] = null;
    this.head = (this.head + 1) & (this.slots.length - 1);
    this.length -= 1;
    return queued;
  }

  /** Doubles the room. It is always a power of two, so that an index is found without a division. */
  private grow(): void {
    const { slots, head } = this;
    this.slots = [...slots.slice(head), ...slots.slice(0, head), ...emptySlots(slots.length)];
    this.head = 0;
  }
}

function emptySlots(length: number): null[] {
  return Array.from({ length }, () => null);
}

type AbsentFill = StoredValue<'absent-fills'>[number];

/**
 * Maximum number of fills that wait here; they are few. If there are more, the oldest is dropped, with an
 * alarm.
 */
const MOST_ABSENT = 2_000;

/**
 * Fills of orders whose strategies do not run, for example during an offline halt, or after a strategy was
 * removed from the configuration. They wait here, also over restarts, until the strategy runs again; then its
 * position counts them.
 */
class AbsentFills extends OutboxPart {
  fills: readonly AbsentFill[] = [];

  add(absent: AbsentFill): void {
    this.fills = [...this.fills, absent];
    const [oldest] = this.fills;
    if (this.fills.length > MOST_ABSENT && oldest !== undefined) {
      this.fills = this.fills.slice(1);
      const { strategy, tradeId } = oldest.fill;
      this.outbox.alarm(
        `the trade ${tradeId} of ${strategy}, which does not run, is left out of its position`,
      );
    }
    this.persist();
  }

  /** Removes and returns the fills whose strategy can receive them now. */
  release(hasReceiver: (fill: FillRecord) => boolean): readonly AbsentFill[] {
    const released = this.fills.filter(({ fill }) => hasReceiver(fill));
    if (released.length === 0) return released;
    this.fills = this.fills.filter((absent) => !released.includes(absent));
    this.persist();
    return released;
  }

  private persist(): void {
    this.outbox.persist('absent-fills', this.fills);
  }
}
