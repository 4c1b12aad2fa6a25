import { EnginePart } from './engine-settings.ts';
import { NO_UNITS } from '../domain/money.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';
import { exitsAmong, type HeldOf } from './exits.ts';
import { isFinal, mayTrade, type OrderRecord } from '../records/order.ts';
import type { AlgorithmManager } from './algorithms/algorithm-manager.ts';
import { nextOrdersPage, openOrdersCalls, type OrdersCall } from './own-list.ts';
import type {
  ByHandCommand,
  ControlCommand,
  DrainPolicy,
  LockCommand,
  SignalCommand,
} from './engine-event.ts';
import type { OrderManager } from './orders/order-manager.ts';
import type { Outbox } from './outbox.ts';
import type { StrategyDispatcher } from './strategy-dispatcher.ts';
import type { Approvals } from './strategies/approvals.ts';
import type { StrategyNotifier } from './strategies/strategy-notifier.ts';
import { restored, type StoredTexts, type StoredValue } from './stored-records.ts';

/** Interval at which a halt cancels orders that newly show up as open, in ms. */
const POLL_INTERVAL_MS = 1_000;

const WITHIN_MS = 60_000;

/**
 * Maximum number of pages of open orders that a halt of the whole account cancels; orders on later pages stay
 * open.
 */
const MOST_PAGES = 20;

interface ControlOptions {
  readonly outbox: Outbox;
  readonly orderManager: OrderManager;
  readonly algorithms: AlgorithmManager;
  readonly strategies: StrategyDispatcher;
  readonly notifier: StrategyNotifier;
  readonly approvals: Approvals;
}

/** Halts, resumes and drains, on command of an operator or at the end of the run. */
export class Control extends EnginePart<ControlOptions> {
  private halted: StoredValue<'control'>['halted'] = null;
  draining: DrainPolicy | null = null;
  /** Time of the next `pump`, in ms since 1970; infinity if none is due. */
  dueAtMs = Number.POSITIVE_INFINITY;

  phase(hasStarted: boolean): 'syncing' | 'trading' | 'halted' | 'draining' {
    if (this.draining !== null) return 'draining';
    if (this.halted !== null) return 'halted';
    return hasStarted ? 'trading' : 'syncing';
  }

  /** Returns why no new orders are accepted; null while they are. */
  closed(): Sentence | null {
    if (this.draining !== null) return sentence('run-ending');
    return this.halted === null ? null : sentence('halted', { reason: this.halted.reason });
  }

  haltReason(): Sentence | null {
    return this.halted?.reason ?? null;
  }

  apply(
    command: Exclude<
      ControlCommand,
      | LockCommand
      | SignalCommand
      | ByHandCommand
      | { kind: 'accept-balances' | 'compare-balances' | 'reload' | 'promote' }
    >,
  ): void {
    const { outbox, algorithms, strategies, approvals } = this.options;
    outbox.durable();
    if (command.kind === 'resume') {
      this.halted = null;
      if (this.draining === null) this.dueAtMs = Number.POSITIVE_INFINITY;
      outbox.info('trading goes on');
    } else if (command.kind === 'halt') {
      // A second halt keeps the time of the first, and stays for the whole account if either was.
      const { sinceMs = outbox.nowMs, wholeAccount = false } = this.halted ?? {};
      this.halted = { reason: command.reason, sinceMs, wholeAccount: wholeAccount || command.wholeAccount };
      outbox.alarm(`trading is halted: ${english(command.reason)}`);
      algorithms.end(() => true, sentence('ended-halted'));
      approvals.end(() => true, sentence('ended-halted'));
      if (command.wholeAccount) this.cancelWholeAccount();
      this.dueAtMs = outbox.nowMs;
    } else {
      if (this.draining === null) strategies.stop(sentence('run-ending'));
      this.draining = command.openOrders;
      const ordersToKeep = this.own();
      const working = new Set([...ordersToKeep].map(({ intentId }) => intentId));
      if (command.openOrders !== 'keep')
        algorithms.end(({ intentId }) => !working.has(intentId), sentence('run-ending'));
      this.dueAtMs = outbox.nowMs;
    }
    outbox.journal('control', command.kind, { ...command });
    outbox.persist('control', { halted: this.halted });
  }

  /** Cancels the open orders that may not stay. */
  pump(nowMs: number): void {
    const own = new Set(this.own());
    const { orderManager } = this.options;
    orderManager.placer.dropPlanned(sentence(this.halted === null ? 'order-ending' : 'order-halted'));
    let isLeft = false;
    for (const order of orderManager.blotter.table.unfinished()) {
      if (!mayTrade(order)) continue;
      isLeft = true;
      if (!own.has(order)) orderManager.cancels.cancel(order);
    }
    this.dueAtMs = isLeft || this.halted !== null ? nowMs + POLL_INTERVAL_MS : Number.POSITIVE_INFINITY;
  }

  isDrained(): boolean {
    if (this.draining === null) return false;
    const own = new Set(this.own());
    const { table } = this.options.orderManager.blotter;
    return table.unfinished().every((order) => isFinal(order) || (order.state === 'open' && own.has(order)));
  }

  /** Returns the orders that may stay open: all if neither a halt nor a drain is on, none in a halt. */
  private own(): readonly OrderRecord[] {
    const { orderManager, notifier } = this.options;
    const orders = orderManager.blotter.table.unfinished();
    if (this.halted !== null || this.draining === 'cancel') return [];
    if (this.draining !== 'keep-exits') return orders;
    // An order that is being canceled does not stay, and the drain waits for its end.
    const wanted = orders.filter(
      (order) => order.state !== 'planned' && !orderManager.cancels.wantsEndOf(order.key),
    );
    const heldOf: HeldOf = (strategy, asset) =>
      notifier.instancesByName.get(strategy)?.held(asset) ?? NO_UNITS;
    const exits = exitsAmong(wanted, heldOf, orderManager.blotter.venue.marketNames);
    return wanted.filter(({ key }) => exits.has(key));
  }

  restore(stored: StoredTexts): void {
    this.halted = restored(stored, 'control')?.halted ?? null;
    if (this.halted === null) return;
    this.dueAtMs = this.options.outbox.nowMs;
    this.options.outbox.alarm(
      `trading was halted before this start: ${english(this.halted.reason)}. "sarraf resume" ends it`,
    );
  }

  /** Cancels all active orders of the account at once, and then one by one the stop orders that remain. */
  private cancelWholeAccount(): void {
    const { outbox, orderManager } = this.options;
    const { venue, ownMarkets } = orderManager.blotter;
    const context = { requestClass: 'cancel', withinMs: WITHIN_MS } as const;
    outbox.ask({ kind: 'cancel-old' }, context, () => {
      for (const call of openOrdersCalls(venue, ownMarkets)) this.cancelListed(call, 1);
    });
  }

  /** Cancels the open orders of one page of a list, then those of the next pages. */
  private cancelListed(call: OrdersCall, page: number): void {
    const { outbox, orderManager } = this.options;
    const context = { requestClass: 'resolve', withinMs: WITHIN_MS } as const;
    outbox.ask(call, context, (answer) => {
      if (answer.outcome !== 'value') {
        outbox.alarm('the open orders of the account could not be listed: check whether some are left');
        return;
      }
      if (answer.unread !== undefined)
        outbox.alarm('an open order of the account could not be read: check whether it is left');
      const { items, hasNext } = answer.value;
      for (const record of items) {
        orderManager.reports.apply(record);
        if (record.id !== null && orderManager.blotter.table.byVenueId(record.id) === undefined) {
          orderManager.cancels.cancelForeign(record.id, record.market?.symbol ?? null);
        }
      }
      const { venue } = orderManager.blotter;
      const isFull = hasNext ?? items.length >= venue.pageSizes.orders;
      const next = nextOrdersPage(venue, call, items);
      if (!isFull || items.length === 0) return;
      if (next !== null && page < MOST_PAGES) this.cancelListed(next, page + 1);
      else outbox.alarm(`the bot could not list all open orders of the account: see whether some are left`);
    });
  }
}
