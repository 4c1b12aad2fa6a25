import type { Units } from '../domain/money.ts';
import type { OrderRecord } from '../execution/order-record.ts';

/** What a run that ends leaves at the exchange. */
export interface LeftBehind {
  readonly orders: readonly OrderRecord[];
  /** Positions of strategies, of which `unprotected` would be sold (or bought back) by no stop order and no OCO. */
  readonly unprotected: readonly {
    readonly strategy: string;
    readonly asset: string;
    readonly held: Units;
    readonly unprotected: Units;
  }[];
}
