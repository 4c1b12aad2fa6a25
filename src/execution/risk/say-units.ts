import type { Market } from '../../domain/market.ts';
import { formatUnits } from '../../domain/money.ts';

/** An amount with its currency, as a refusal says it: `1.2 BTC`. */
export function sayAmount(units: bigint, market: Market): string {
  return `${formatUnits(units)} ${market.base.toUpperCase()}`;
}

/** A value or price with its currency: `5000 USDT`. */
export function sayValue(units: bigint, quote: string): string {
  return `${formatUnits(units)} ${quote.toUpperCase()}`;
}
