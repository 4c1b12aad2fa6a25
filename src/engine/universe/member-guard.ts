import { sentence, type Sentence } from '../../language/sentence.ts';
import { memberUniverseOf } from '../../strategy/strategy-port.ts';
import { universeOf } from '../../strategy/shown-universe.ts';
import type { UniverseState } from '../../strategy/rank-markets.ts';
import { requestedUnits } from '../algorithms/requested-units.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import type { OrderTable } from '../orders/order-table.ts';
import type { StrategyInstance } from '../strategy-instance.ts';

interface MemberGuardOptions {
  readonly universeOf: (instance: StrategyInstance, name: string) => UniverseState | null;
  readonly table: Pick<OrderTable, 'get'>;
}

/** Permitted part of an intent, and why the rest is refused. */
interface Guarded {
  readonly intent: Intent | null;
  readonly why: Sentence | null;
}

/**
 * Guards a strategy that runs in each member of a universe: it buys only in members, and in a market that has
 * left it may only sell its holding. Orders and algorithms that are live there go on.
 */
export class MemberGuard {
  private readonly options: MemberGuardOptions;

  constructor(options: MemberGuardOptions) {
    this.options = options;
  }

  check(instance: StrategyInstance, intent: Intent): Guarded {
    const name = memberUniverseOf(instance.runner)?.name ?? null;
    if (name === null) return { intent, why: null };
    const state = this.options.universeOf(instance, name);
    const isOut = (market: string): boolean => !universeOf(state).isMember(market);
    if (intent.kind === 'quotes' && isOut(intent.market)) {
      // The reduced set is passed on even if it is empty, or the quotes of the last set would stay.
      const quotes = intent.quotes.filter(({ side }) => side === 'sell');
      const isWhole = quotes.length === intent.quotes.length;
      return isWhole
        ? { intent, why: null }
        : { intent: { ...intent, quotes }, why: this.whyNot(intent.market, state) };
    }
    const market = this.boughtIn(instance, intent, isOut);
    return market === null ? { intent, why: null } : { intent: null, why: this.whyNot(market, state) };
  }

  /** Returns the market in which an intent may buy though it is no member; null if there is none. */
  private boughtIn(
    instance: StrategyInstance,
    intent: Intent,
    isOut: (market: string) => boolean,
  ): string | null {
    switch (intent.kind) {
      case 'cancel':
      case 'cancel-all':
      case 'protect':
      case 'exit':
      case 'quotes':
      case 'transfer':
        return null;
      case 'place':
      case 'oco':
      case 'twap':
      case 'vwap':
      case 'ladder':
      case 'peg':
      case 'iceberg':
        return intent.side === 'buy' && isOut(intent.market) ? intent.market : null;
      case 'dca':
      case 'bracket':
        return isOut(intent.market) ? intent.market : null;
      case 'replace': {
        const order = this.options.table.get(intent.clientOrderId);
        return order?.side === 'buy' && isOut(order.market) ? order.market : null;
      }
      case 'target':
        return isOut(intent.market) && !isReduction(instance, intent) ? intent.market : null;
      case 'targets':
        return Object.keys(intent.shares).find((one) => isOut(one) && !isNothing(intent.shares[one])) ?? null;
    }
  }

  private whyNot(market: string, state: UniverseState | null): Sentence {
    const reason = universeOf(state).whyNot(market) ?? 'it is one';
    return sentence('no-member', { market, reason });
  }
}

/** True if a target is at most the current holding; a target by value or by share must be 0. */
function isReduction(instance: StrategyInstance, intent: Extract<Intent, { kind: 'target' }>): boolean {
  const { position, value, equityShare } = intent;
  if (position === undefined) return isNothing(value ?? equityShare);
  const wanted = requestedUnits(position);
  const { base } = instance.marketNames.parseMarket(intent.market);
  return wanted !== null && wanted <= instance.held(base);
}

function isNothing(share: DecimalInput | undefined): boolean {
  return share !== undefined && requestedUnits(share) === 0n;
}
