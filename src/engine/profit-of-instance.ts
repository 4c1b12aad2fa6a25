import { formatUnits } from '../domain/money.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { profitOf, type Profit } from '../portfolio/profit.ts';
import type { PriceOf } from '../portfolio/holding.ts';
import type { StrategyInstance } from './strategy-instance.ts';

/** Profit of a strategy as decimal texts; null if something that it holds has no price. */
export interface ProfitText {
  readonly currency: Currency;
  readonly profit: DecimalText | null;
  readonly realised: DecimalText | null;
  readonly open: DecimalText | null;
  /** Amount held of each asset that was traded, except the currency itself. */
  readonly positions: Readonly<Record<string, DecimalText>>;
  /** Assets that are held but have no price. */
  readonly unvalued: readonly string[];
}

/**
 * Returns the profit of a running strategy at the current prices of the markets, or at the last prices of its
 * ledger if a market has none.
 */
export function profitOfInstance(instance: StrategyInstance, priceOf: PriceOf): ProfitText {
  return profitText(profitOf(instance.ledger, priceOf));
}

export function profitText({ currency, total, realised, open, assets, unvalued }: Profit): ProfitText {
  const positions = assets
    .filter(({ asset }) => asset !== currency)
    .map(({ asset, held }) => [asset, formatUnits(held)]);
  return {
    currency,
    profit: total === null ? null : formatUnits(total),
    realised: realised === null ? null : formatUnits(realised),
    open: open === null ? null : formatUnits(open),
    positions: Object.fromEntries(positions) as Record<string, DecimalText>,
    unvalued,
  };
}
