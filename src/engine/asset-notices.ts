import type { StrategyInstance } from './strategy-instance.ts';

/**
 * Returns the notes for an operator on how a strategy's positions and profit are counted, before it begins;
 * mostly none.
 */
export function assetNotices(
  {
    name,
    quotes,
    markets,
    marketNames,
  }: Pick<StrategyInstance, 'name' | 'quotes' | 'markets' | 'marketNames'>,
  sees: (market: string) => boolean,
): readonly { readonly level: 'info' | 'warn'; readonly text: string }[] {
  const notices: { level: 'info' | 'warn'; text: string }[] = [];
  const { bridge, quotes: known, parseMarket } = marketNames;
  const coins = Map.groupBy(markets, (market) => parseMarket(market).base);
  for (const [coin, together] of coins) {
    if (together.length < 2) continue;
    const text = `${name}: its position in ${coin} is counted over ${together.join(' and ')} together`;
    notices.push({ level: 'info', text });
  }
  if (quotes.size > 1 && !sees(bridge.market)) {
    const text = `${name} trades in ${known.map((quote) => quote.name).join(' and in ')}, and no market of the bot converts between them: its total profit, its equity and its loss limits are unknown while it has both. Have a strategy follow ${bridge.market}`;
    notices.push({ level: 'warn', text });
  }
  return notices;
}
