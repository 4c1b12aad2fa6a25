import { EnginePart } from './engine-settings.ts';
import { sentence, type Sentence } from '../language/sentence.ts';
import type { Control } from './control.ts';
import type { CredentialWatch } from './request-watches.ts';
import type { IssueLog } from './issue-log.ts';
import { sentenceOf } from './stored-records.ts';
import type { OrderManager } from './orders/order-manager.ts';
import type { Outbox } from './outbox.ts';
import type { Reconciler } from './fills/reconciler.ts';
import type { StandstillWatch } from './standstill-watch.ts';
import type { StrategyDispatcher } from './strategy-dispatcher.ts';
import { mayTrade, type OrderRecord } from '../records/order.ts';

interface TradingStateParts {
  readonly outbox: Outbox;
  readonly control: Control;
  readonly credential: CredentialWatch;
  readonly strategies: StrategyDispatcher;
  readonly reconciler: Reconciler;
  readonly findings: IssueLog;
  readonly orderManager: OrderManager;
  readonly standstills: StandstillWatch;
  /** True if balances are compared; false in a backtest on bars. */
  readonly reconciles: boolean;
}

/** Decides if new orders may be placed. Cancels and look-ups are always allowed. */
export class TradingState extends EnginePart<TradingStateParts> {
  /** Returns why no new orders are accepted, the most serious reason first; null while they are. */
  closed(): Sentence | null {
    const { control, credential, strategies, reconciler, findings, orderManager } = this.options;
    const why = control.closed() ?? credential.fault();
    if (why !== null) return why;
    if (!strategies.hasStarted) return sentence('account-unread');
    if (reconciler.break !== null) {
      return sentence('books-broken');
    }
    return findings.closed() ?? this.overdue() ?? orderManager.placer.closed();
  }

  /**
   * Returns the issues for an operator: why the books could not be compared for too long, confirmed
   * contradictions in data about our orders, and markets that stand still and get no orders.
   */
  doubts(): readonly Sentence[] {
    const overdue = this.overdue();
    const grave = this.options.findings.confirmed().filter(({ isGrave }) => isGrave);
    return [
      ...(overdue === null ? [] : [overdue]),
      ...grave.map((finding) => sentenceOf(finding)),
      ...this.options.standstills.reasons(),
    ];
  }

  private overdue(): Sentence | null {
    const { reconciles, reconciler, outbox } = this.options;
    return reconciles ? reconciler.watch.overdue(outbox.nowMs) : null;
  }
}

/** State of an engine, for the shell. */
export interface EngineStatus {
  readonly phase: 'syncing' | 'trading' | 'halted' | 'draining';
  readonly liveOrders: number;
  /** Number of orders in flight, in cancellation, of unknown outcome, or with missing fills. */
  readonly unsettled: number;
  readonly isBroken: boolean;
  readonly conclusions: number;
}

/** Returns the status with the counts of unfinished orders. */
export function statusOf({
  unfinished,
  ...rest
}: Pick<EngineStatus, 'phase' | 'isBroken' | 'conclusions'> & {
  readonly unfinished: readonly OrderRecord[];
}): EngineStatus {
  return {
    ...rest,
    liveOrders: unfinished.filter((order) => mayTrade(order) || order.state === 'planned').length,
    unsettled: unfinished.filter(({ state }) => state !== 'open' && state !== 'planned').length,
  };
}

/** Returns the number of orders in each state; states without orders are omitted. */
export function ordersByState(orders: readonly OrderRecord[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { state } of orders) counts.set(state, (counts.get(state) ?? 0) + 1);
  return Object.fromEntries(counts);
}
