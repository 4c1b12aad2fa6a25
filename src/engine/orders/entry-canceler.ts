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
  private isDue = false;

  constructor(options: EntryCancelerOptions) {
    this.options = options;
    options.orderManager.blotter.listen(({ state }) => {
      // One that turns up, or whose fate is known at last.
      if (!this.isDue && state === 'open') this.isDue = this.locks().length > 0;
    });
  }

  /** A lock has begun, or another life. */
  look(): void {
    this.isDue = true;
  }

  pump(): void {
    if (!this.isDue) return;
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
