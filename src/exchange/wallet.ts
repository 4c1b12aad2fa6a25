import { z } from 'zod';
import {
  decimalField,
  decimalOrNull,
  flagOrNull,
  integerField,
  integerOrNull,
  recordOf,
  textField,
  textOrNull,
  timeMsOrNull,
  withoutPrototype,
} from './reply-types.ts';

/** Wallet ("Resources: Wallet", first form), in its own currency; rial values are estimates. */
export const walletRecord = z
  .object({
    id: integerField,
    currency: textField,
    balance: decimalField,
    blockedBalance: decimalOrNull,
    activeBalance: decimalOrNull,
    rialBalance: decimalOrNull,
    rialBalanceSell: decimalOrNull,
    depositAddress: textOrNull,
    depositTag: textOrNull,
    depositInfo: recordOf(z.object({ address: textOrNull, tag: textOrNull })).nullish(),
  })
  .transform((wire) => ({
    id: wire.id,
    currency: wire.currency.toLowerCase(),
    balance: wire.balance,
    blocked: wire.blockedBalance,
    active: wire.activeBalance,
    rialBalance: wire.rialBalance,
    rialBalanceSell: wire.rialBalanceSell,
    depositAddress: wire.depositAddress,
    depositTag: wire.depositTag,
    depositInfo: wire.depositInfo ?? withoutPrototype([]),
  }));

export type VenueWallet = Readonly<z.output<typeof walletRecord>>;

/** Balance ("Resources: Wallet", second form) and its reserved part. Its key is the currency. */
export const balanceRecord = z.object({ id: integerField, balance: decimalField, blocked: decimalField });

/** Line of a wallet ("Resources: Wallet transaction"). The amount is negative if it left the wallet. */
export const transactionRecord = z
  .object({
    id: integerField,
    currency: textOrNull,
    created_at: timeMsOrNull,
    calculatedFee: decimalOrNull,
    amount: decimalField,
    description: textOrNull,
  })
  .transform((wire) => ({
    id: wire.id,
    currency: wire.currency?.toLowerCase() ?? null,
    createdAtMs: wire.created_at,
    fee: wire.calculatedFee,
    amount: wire.amount,
    description: wire.description,
  }));

/** Returns a currency symbol, which is all lower or all upper case; null for a name such as `Etherium`. */
function symbolOf(currency: string | null): string | null {
  return currency !== null && /^(?:[a-z0-9_]{1,20}|[A-Z0-9_]{1,20})$/.test(currency)
    ? currency.toLowerCase()
    : null;
}

/** Deposit ("Resources: Deposit"). */
export const depositRecord = z
  .object({
    txHash: textOrNull,
    address: textOrNull,
    confirmed: flagOrNull,
    transaction: transactionRecord.nullish(),
    currency: textOrNull,
    blockchainUrl: textOrNull,
    confirmations: integerOrNull,
    requiredConfirmations: integerOrNull,
    amount: decimalField,
  })
  .transform((wire) => ({
    transactionHash: wire.txHash,
    address: wire.address,
    confirmed: wire.confirmed,
    transaction: wire.transaction ?? null,
    /** The symbol, lower case; null if the reply has only a name for people and no transaction. */
    currency: wire.transaction?.currency ?? symbolOf(wire.currency),
    /** Currency as the exchange wrote it: a symbol, or a name such as `Bitcoin`. */
    currencyName: wire.currency,
    blockchainUrl: wire.blockchainUrl,
    confirmations: wire.confirmations,
    requiredConfirmations: wire.requiredConfirmations,
    amount: wire.amount,
  }));

const TRADE = /^trade\b|معامله/iu;
const TRANSFER = /^transfer\b|انتقال/iu;
const MONEY_OUTSIDE = /^(?:deposit|withdrawal)\b|واریز|برداشت/iu;

/**
 * Returns the kind of a line of a wallet's history by its text, in English or Persian; null if the text shows
 * none. The interface describes a line in words alone ("Transactions"), and does not promise these.
 */
export function walletLineKind(description: string): 'trade' | 'transfer' | 'outside' | null {
  if (TRANSFER.test(description)) return 'transfer';
  if (TRADE.test(description)) return 'trade';
  return MONEY_OUTSIDE.test(description) ? 'outside' : null;
}
