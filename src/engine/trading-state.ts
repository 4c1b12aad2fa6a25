import { sentence } from '../language/sentence.ts';
import type { Control } from './control.ts';
import type { CredentialWatch } from './credential-watch.ts';
import { sentenceOf, type FlawLog } from './flaw-log.ts';
import type { OrderManager } from './orders/order-manager.ts';
import type { Outbox } from './outbox.ts';
import type { Reconciler } from './fills/reconciler.ts';
import type { StandstillWatch } from './standstill-watch.ts';
import type { StrategyDispatcher } from './strategy-dispatcher.ts';

interface TradingStateParts {
  readonly outbox: Outbox;
  readonly control: Control;
  readonly credential: CredentialWatch;
  readonly strategies: StrategyDispatcher;
  readonly reconciler: Reconciler;
  readonly findings: FlawLog;
  readonly orderManager: OrderManager;
  readonly standstills: StandstillWatch;
  /** True if balances are compared at all: a backtest on bars has none to compare with. */
  readonly reconciles: boolean;
}

/** Decides if new orders may be placed. Cancels and look-ups always may. */
export class TradingState {
  private readonly parts: TradingStateParts;

  constructor(parts: TradingStateParts) {
    this.parts = parts;
  }

  /** Returns why no new orders are accepted, the gravest reason first; null while they are. */
  closed(): string | null {
    const { control, credential, strategies, reconciler, findings, orderManager } = this.parts;
    const why = control.closed() ?? credential.fault();
    if (why !== null) return why;
    if (!strategies.hasStarted) return sentence('account-unread');
    if (reconciler.break !== null) {
      return sentence('books-broken');
    }
    return findings.closed() ?? this.overdue() ?? orderManager.placer.closed();
  }

  /**
   * Returns the issues that the exchange's data about orders of ours has shown twice; why the books could not
   * be compared for too long; and which markets stand still, where no orders go.
   */
  doubts(): readonly string[] {
    const overdue = this.overdue();
    const grave = this.parts.findings.confirmed().filter(({ isGrave }) => isGrave);
    return [
      ...(overdue === null ? [] : [overdue]),
      ...grave.map((finding) => sentenceOf(finding)),
      ...this.parts.standstills.reasons(),
    ];
  }

  private overdue(): string | null {
    const { reconciles, reconciler, outbox } = this.parts;
    return reconciles ? reconciler.watch.overdue(outbox.nowMs) : null;
  }
}
