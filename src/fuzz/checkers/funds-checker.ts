import type { EngineOutput } from '../../engine/engine-command.ts';
import { formatUnits, UNITS_PER_ONE } from '../../domain/money.ts';
import { divideUp } from '../../domain/rounding.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { OrderRecord } from '../../records/order.ts';
import { violationsOf, type Violation } from './violation.ts';

/** Exchange's own data on a currency. */
export interface TrueFunds {
  readonly total: bigint;
  /** Amount held by the bot's own open orders. */
  readonly heldByOwn: bigint;
  /** Amount held by the open orders of the strategy that is checked. */
  readonly heldByStrategy: bigint;
  /** Amount that strategy has bought, by its books. */
  readonly bought: bigint;
}

/** For so long anything from outside may be why money is missing: a hand, a withdrawal, a loss. */
const OUTSIDE_LASTS_MS = 900_000;

/** Units that rounding may make of it. */
const ROUNDING = 100n;

/**
 * Two strategies never spend the same money: the exchange refuses no order for want of balance when the bot's
 * own orders alone hold what is missing. Not judged while somebody else has lately been at the account; nor,
 * once somebody was there, where a strategy sells what it has bought: that is its way out, and whether the
 * coins are still there is for the exchange to say.
 */
export class FundsChecker {
  private readonly found: string[] = [];
  private outsideAtMs = Number.NEGATIVE_INFINITY;

  /** Something from outside changed the account. */
  disturbed(atMs: number): void {
    this.outsideAtMs = atMs;
  }

  watch(
    { changes }: Pick<EngineOutput, 'changes'>,
    fundsOf: (currency: string, strategy: string) => TrueFunds,
    atMs: number,
  ): void {
    if (atMs - this.outsideAtMs < OUTSIDE_LASTS_MS) return;
    for (const change of changes) {
      if (change.kind !== 'order') continue;
      const { state, reason, key, strategy, side } = change.order;
      if (state !== 'rejected' || reason !== 'OverValueOrder' || key.endsWith('/2')) continue;
      const { currency, needed } = paymentOf(change.order);
      const { total, heldByOwn, heldByStrategy, bought } = fundsOf(currency, strategy);
      if (heldByOwn + needed <= total + ROUNDING) continue;
      const isWayOut = side === 'sell' && heldByStrategy + needed <= bought + ROUNDING;
      if (isWayOut && this.outsideAtMs > Number.NEGATIVE_INFINITY) continue;
      this.found.push(
        `expected ${key} to want no money that own orders hold already: it needs ${formatUnits(needed)} ${currency}, they hold ${formatUnits(heldByOwn)} of ${formatUnits(total)} (${atMs})`,
      );
    }
  }

  violations(): readonly Violation[] {
    return violationsOf('funds', this.found);
  }
}

function paymentOf({ market, side, amount, price, stopPrice }: OrderRecord): {
  readonly currency: string;
  readonly needed: bigint;
} {
  const { base, quote } = parseMarket(market);
  if (side === 'sell') return { currency: base, needed: amount };
  return { currency: quote, needed: divideUp(amount * (price ?? stopPrice ?? 0n), UNITS_PER_ONE) };
}
