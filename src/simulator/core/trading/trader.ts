import type { FeeSchedule } from '../../../domain/fee-schedule.ts';
import type { UserId } from '../accounts.ts';
import { BoundedList } from '../bounded-list.ts';
import type { SimulatedOrder } from './order.ts';
import type { UserTrade } from './requests.ts';

/** A user's trade with the order it belongs to. */
export interface TradeOfOrder extends UserTrade {
  readonly order: SimulatedOrder;
}

/** What the trading core knows of one user. */
export class Trader {
  readonly userId: UserId;
  fees: FeeSchedule;
  /** False when the identity process is incomplete: `TradingUnavailable`. */
  mayTrade = true;
  /** True when the experimental look-up by client id is not offered: `FeatureUnavailable`. */
  lacksClientIdLookup = false;
  readonly orders: BoundedList<SimulatedOrder>;
  readonly trades: BoundedList<TradeOfOrder>;
  readonly open = new Map<number, SimulatedOrder>();
  readonly openByClientId = new Map<string, SimulatedOrder>();
  /** When an order with these parameters was last accepted. */
  private readonly recent = new Map<string, number>();

  constructor(options: { readonly userId: UserId; readonly fees: FeeSchedule; readonly historyKept: number }) {
    this.userId = options.userId;
    this.fees = options.fees;
    this.orders = new BoundedList(options.historyKept);
    this.trades = new BoundedList(options.historyKept);
  }

  /** Whether the same parameters were accepted within the window before `timeMs`. */
  isDuplicate(parameters: string, window: { readonly timeMs: number; readonly lengthMs: number }): boolean {
    const seen = this.recent.get(parameters);
    return seen !== undefined && window.timeMs - seen < window.lengthMs;
  }

  remember(parameters: string, window: { readonly timeMs: number; readonly lengthMs: number }): void {
    // Entries stay in order of time, because each is put at the end; so the old ones are all at the front.
    for (const [key, seen] of this.recent) {
      if (window.timeMs - seen < window.lengthMs) break;
      this.recent.delete(key);
    }
    this.recent.delete(parameters);
    this.recent.set(parameters, window.timeMs);
  }
}
