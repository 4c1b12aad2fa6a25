import type { DecimalText } from '../../domain/decimal-text.ts';
import type { TransferEvent } from '../strategy-event.ts';

/** Outcome of a transfer of this strategy. */
export interface Transfer extends Omit<TransferEvent, 'amount'> {
  /** In its currency, as it was sent. */
  readonly amount: number;
  readonly exact: { readonly amount: DecimalText };
}

export function transferOf(transfer: TransferEvent): Transfer {
  const { amount } = transfer;
  return Object.freeze({ ...transfer, amount: Number(amount), exact: Object.freeze({ amount }) });
}
