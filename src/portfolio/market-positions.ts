import { BRIDGE, otherQuote, type MarketName } from '../domain/market-symbol.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import type { MarketFlow } from './asset-ledger.ts';
import { symbolIn } from './valuation.ts';

/**
 * What is held of a coin by the market it was bought in, so that limits on single markets count it once. A
 * coin bought in one market and sold in the other is held in neither: what is left counts where more of it
 * was bought, or sold. Tether counts in `USDTIRT`: with what sales in tether markets brought, less what
 * purchases there took, down to nothing. So a purchase for tether that the account had before makes no short
 * position.
 */
export function positionIn(
  { symbol, base, quote }: MarketName,
  flowOf: (market: string) => MarketFlow,
  tether: Units,
): Units {
  const { position } = flowOf(symbol);
  if (symbol === BRIDGE) return tetherHeld(position, subtractUnits(tether, position));
  const other = flowOf(symbolIn(base, otherQuote(quote))).position;
  if (position > 0n === other > 0n || position === 0n || other === 0n) return position;
  const net = addUnits(position, other);
  return net > 0n === position > 0n ? net : NO_UNITS;
}

/** Of tether that was bought for rial and tether that came from other markets. */
function tetherHeld(bought: Units, came: Units): Units {
  const net = addUnits(bought, came);
  if (net >= 0n) return net;
  if (bought >= 0n) return NO_UNITS;
  return net > bought ? net : bought;
}
