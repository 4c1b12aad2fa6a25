import { formatUnits } from '../domain/money.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { profitOf, type Profit } from '../portfolio/profit.ts';
import type { PriceOf } from '../portfolio/holding.ts';
import type { StrategyInstance } from './strategy-instance.ts';

/**
 * A strategy's profit for people and programs: decimal texts, null where something that it holds has no
 * price.
 */
export interface ProfitText {
  readonly currency: Currency;
  readonly profit: DecimalText | null;
  readonly realised: DecimalText | null;
  readonly open: DecimalText | null;
  /** Holdings of each asset but the currency itself, once traded. */
  readonly positions: Readonly<Record<string, DecimalText>>;
  /** Assets that are held and can not be valued. */
  readonly unvalued: readonly string[];
}

/**
 * The profit of a strategy at work, at the prices that the markets show now, or else at the last of its
 * ledger.
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
