import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { SimulatedExchange } from '../core/exchange.ts';

/** Whether the exchange has a currency (lower case): as a side of one of its markets, or in its settings. */
export function isKnownCurrency(exchange: SimulatedExchange, currency: string): boolean {
  if (currency === 'rls' || currency === 'usdt' || exchange.services.hasCurrency(currency)) return true;
  const upper = currency.toUpperCase();
  return exchange.markets.has(`${upper}IRT` as MarketSymbol) || exchange.markets.has(`${upper}USDT` as MarketSymbol);
}
