import { parseMarket } from '../../domain/market-symbol.ts';
import type { FillRecord } from '../../execution/fill-record.ts';

/** What fills have changed, by currency, in units; fees are in the currency received. */
export function netMoney(fills: readonly FillRecord[]): ReadonlyMap<string, bigint> {
  const net = new Map<string, bigint>();
  const add = (currency: string, units: bigint): void => {
    net.set(currency, (net.get(currency) ?? 0n) + units);
  };
  for (const { market, side, amount, total, fee } of fills) {
    const { base, quote } = parseMarket(market);
    add(base, side === 'buy' ? amount - fee : 0n - amount);
    add(quote, side === 'buy' ? 0n - total : total - fee);
  }
  return net;
}
