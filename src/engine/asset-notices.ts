import { parseMarket } from '../domain/market-symbol.ts';
import type { StrategyInstance } from './strategy-instance.ts';

/**
 * What an operator should know of how a strategy's positions and profit are counted, before it begins; mostly
 * nothing.
 */
export function assetNotices(
  { name, quotes, markets, bridge }: Pick<StrategyInstance, 'name' | 'quotes' | 'markets' | 'bridge'>,
  sees: (market: string) => boolean,
): readonly { readonly level: 'info' | 'warn'; readonly text: string }[] {
  const notices: { level: 'info' | 'warn'; text: string }[] = [];
  const coins = Map.groupBy(markets, (market) => parseMarket(market).base);
  for (const [coin, together] of coins) {
    if (together.length < 2) continue;
    const text = `${name}: its position in ${coin} is counted over ${together.join(' and ')} together`;
    notices.push({ level: 'info', text });
  }
  if (quotes.size > 1 && !sees(bridge.market)) {
    const text = `${name} trades in rial and in tether, and no market of the bot converts between them: its total profit, its equity and its loss limits are unknown while it has both. Have a strategy follow ${bridge.market}`;
    notices.push({ level: 'warn', text });
  }
  return notices;
}
