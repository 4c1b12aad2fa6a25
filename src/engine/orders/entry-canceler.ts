import { NO_UNITS } from '../../domain/money.ts';
import { exitsAmong, type HeldOf } from '../exits.ts';
import { reaches, type Lock } from '../lock.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import type { OrderManager } from './order-manager.ts';
import type { StrategyInstance } from '../strategy-instance.ts';

interface EntryCancelerOptions {
  readonly orderManager: OrderManager;
  readonly instances: readonly StrategyInstance[];
  /** True if a bracket sells with the order what it bought. */
  readonly isExitOfBracket: (order: OrderRecord) => boolean;
  /** The locks that hold. */
  readonly active: () => readonly Lock[];
}

/** While a lock holds that cancels entries: cancels what rests in its reach and is no way out. */
export class EntryCanceler {
  private readonly options: EntryCancelerOptions;
  /** True if a lock or another life has begun, or an order has turned up while one holds. */
  isDue = false;

  constructor(options: EntryCancelerOptions) {
    this.options = options;
    // One that turns up, or whose fate is known at last.
    options.orderManager.blotter.listen(['open'], () => {
      if (!this.isDue) this.isDue = this.locks().length > 0;
    });
  }

  pump(): void {
    this.isDue = false;
    const locks = this.locks();
    if (locks.length === 0) return;
    const { orderManager, isExitOfBracket } = this.options;
    const { blotter, cancels } = orderManager;
    const orders = blotter.table
      .unfinished()
      .filter((order) => mayTrade(order) && order.state !== 'planned' && !cancels.wantsEndOf(order.key));
    const exits = exitsAmong(orders, this.heldOf, blotter.venue.marketNames);
    for (const order of orders) {
      const isLocked = locks.some((lock) => reaches(lock, order.strategy, order.market));
      if (isLocked && !exits.has(order.key) && !isExitOfBracket(order)) cancels.cancel(order);
    }
  }

  private readonly heldOf: HeldOf = (strategy, asset) =>
    this.options.instances.find(({ name }) => name === strategy)?.held(asset) ?? NO_UNITS;

  private locks(): readonly Lock[] {
    return this.options.active().filter(({ entries }) => entries === 'cancel');
  }
}
