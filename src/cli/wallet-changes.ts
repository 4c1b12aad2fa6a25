import { parseMarket } from '../exchange/market-names.ts';
import type { WalletTransaction } from '../venues/port.ts';
import { isPlaceholder, type FillRecord } from '../records/fill.ts';
import type { Movements } from '../mirror/read-movements.ts';
import { movesOf } from '../portfolio/balance-books.ts';
import { LineMatcher } from '../portfolio/line-matcher.ts';

/** One change of one wallet: a trade, a line of the wallet's history, or both if they are of one change. */
export interface WalletChange {
  readonly atMs: number;
  readonly currency: string;
  /** In units of 1e-10; below zero for what left. */
  readonly units: bigint;
  readonly fill: FillRecord | null;
  readonly line: WalletTransaction | null;
  /**
   * Missing counterpart; null if none is missing, and for a trade from before or after the known part of the
   * history.
   */
  readonly missing: 'trade' | 'line' | null;
}

type Effect = Omit<WalletChange, 'line' | 'missing'>;

/** Trades and lines side by side, oldest first: each trade with the line of its amount nearest in time. */
export function walletChanges(
  movements: Movements,
  currencies: ReadonlySet<string>,
): readonly WalletChange[] {
  const known = movements.transactions.filter(({ currency }) => currencies.has(currency));
  const lines = new LineMatcher(known);
  const ofTrades = movements.fills.flatMap(effectsOf).filter(({ currency }) => currencies.has(currency));
  const paired = ofTrades.map((effect): WalletChange => {
    const line = lines.take(effect.currency, effect.units, effect.atMs);
    return { ...effect, line, missing: line === null && isWithin(effect, known) ? 'line' : null };
  });
  // Once every other trade has its own.
  for (const [place, change] of paired.entries()) {
    const isSum = change.line === null && change.fill !== null && isPlaceholder(change.fill);
    if (isSum && lines.takeSum(change.currency, change.units).length > 0)
      paired[place] = { ...change, missing: null };
  }
  const unpaired = lines.rest().map((line): WalletChange => {
    const { atMs, currency } = line;
    return { atMs, currency, units: line.amount, fill: null, line, missing: 'trade' };
  });
  return [...paired, ...unpaired].toSorted((left, right) => left.atMs - right.atMs);
}

/** True if a trade's line would be among the known ones: its wallet has older and newer lines. */
function isWithin({ currency, atMs }: Effect, known: readonly WalletTransaction[]): boolean {
  const ofWallet = known.filter((line) => line.currency === currency);
  return ofWallet.some((line) => line.atMs < atMs) && ofWallet.some((line) => line.atMs > atMs);
}

/** Returns a trade's effects on its two wallets; the fee is in the currency received. */
function effectsOf(fill: FillRecord): readonly Effect[] {
  // The wallets of a trade are unknown where its market is.
  if (fill.market === '?') return [];
  const moves = movesOf({ ...fill, ...parseMarket(fill.market) });
  return moves.map(([currency, units]) => ({ atMs: fill.atMs, currency, units, fill }));
}
