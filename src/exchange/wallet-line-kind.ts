const TRADE = /^trade\b|معامله/iu;
const TRANSFER = /^transfer\b|انتقال/iu;
const MONEY_OUTSIDE = /^(?:deposit|withdrawal)\b|واریز|برداشت/iu;

/**
 * Returns the kind of a line of a wallet's history from its text, in English or Persian; null if the text
 * names none of these. The interface describes a line in words alone ("Transactions"), and does not promise
 * them.
 */
export function walletLineKind(description: string): 'trade' | 'transfer' | 'outside' | null {
  if (TRANSFER.test(description)) return 'transfer';
  if (TRADE.test(description)) return 'trade';
  return MONEY_OUTSIDE.test(description) ? 'outside' : null;
}
