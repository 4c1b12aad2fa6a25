import type { MarketName } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import type { CostedTrade, Realised } from './profit-books.ts';
import type { WalletTransaction } from '../venues/port.ts';
import type { Unexplained } from './balance-course.ts';

/**
 * Kinds of movement of a balance; `position` moves none: coins that a person has moved in the books of
 * strategies.
 */
export const MOVEMENT_KINDS = [
  'trade',
  'fee',
  'deposit',
  'withdrawal',
  'transfer',
  'position',
  'unexplained',
] as const;

export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** A trade of the account, ours or not. */
export interface StatementTrade extends CostedTrade {
  readonly market: MarketName;
  readonly tradeId: string;
  /** Null for an order that is not ours. */
  readonly orderKey: string | null;
  readonly strategy: string | null;
  readonly price: Units;
  readonly atMs: number;
  /** @see TradeEffect.isSum */
  readonly isSum?: boolean;
}

/**
 * Coins that a person has moved in the books: from a strategy or (null) the account, to one or the account.
 */
export interface StatementMove {
  readonly atMs: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly asset: string;
  readonly amount: Units;
  readonly price: Units;
  readonly market: string;
}

/** A recorded price of the bridge, when it was and where it is from. */
export interface RecordedRate {
  readonly rate: Units;
  readonly atMs: number;
  readonly from: string;
}

/** One change of one balance. */
export interface StatementLine {
  readonly atMs: number;
  readonly kind: MovementKind;
  readonly currency: string;
  /** Below zero for what left. */
  readonly amount: Units;
  /** After it. */
  readonly balance: Units;
  /** The trade that it is of; null for any other movement. */
  readonly trade: StatementTrade | null;
  /** The line of the wallet's history that it is; null for a trade, a fee and what is unexplained. */
  readonly line: WalletTransaction | null;
  readonly unexplained: Unexplained | null;
  /** Of the kind `position`. */
  readonly move: StatementMove | null;
  /** Result realised by the disposal of a coin. */
  readonly realised: Realised | null;
  /** The rate by which a cost or its proceeds went over to the other quote currency. */
  readonly rate: RecordedRate | null;
}
