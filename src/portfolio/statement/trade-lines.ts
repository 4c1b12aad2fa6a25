import type { Units } from '../../domain/money.ts';
import type { WalletTransaction } from '../../venues/port.ts';
import { LineMatcher } from './line-matcher.ts';
import type { MovementKind } from './statement-line.ts';

/** A line of a trade is written within seconds of it; a deposit of the same amount may come on any day. */
const LINE_WITHIN_MS = 3_600_000;

/** Returns the kind of a line by its description; null if the description names none of these. */
export type SaidKind = (description: string) => 'trade' | 'transfer' | 'outside' | null;

/** Lines of trades go to their trades: those that say they are of one before those that say nothing. */
export class TradeLines {
  private readonly named: LineMatcher<WalletTransaction>;
  private readonly silent: LineMatcher<WalletTransaction>;
  private readonly others: readonly WalletTransaction[];

  constructor(lines: readonly WalletTransaction[], saidKind: SaidKind) {
    const kinds = Map.groupBy(lines, ({ description }) => saidKind(description));
    this.named = new LineMatcher(kinds.get('trade') ?? [], LINE_WITHIN_MS);
    this.silent = new LineMatcher(kinds.get(null) ?? [], LINE_WITHIN_MS);
    this.others = [...(kinds.get('transfer') ?? []), ...(kinds.get('outside') ?? [])];
  }

  take(currency: string, amount: Units, atMs: number): void {
    if (this.named.take(currency, amount, atMs) === null) this.silent.take(currency, amount, atMs);
  }

  /** Lines of no trade that is known. */
  rest(): readonly WalletTransaction[] {
    return [...this.others, ...this.named.rest(), ...this.silent.rest()];
  }
}

/**
 * Returns the kind of a line of no known trade, by its sign and its description. One described as a trade,
 * and with no known trade, is unexplained.
 */
export function kindOfLine({ amount, description }: WalletTransaction, saidKind: SaidKind): MovementKind {
  const said = saidKind(description);
  if (said === 'transfer') return said;
  if (said === 'trade') return 'unexplained';
  return amount > 0n ? 'deposit' : 'withdrawal';
}
