import type { MarketName, MarketNames } from '../domain/market-symbol.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import type { MarketFlow } from './asset-ledger.ts';

/**
 * Returns the holding of a coin by the market it was bought in, so that limits on single markets count it
 * once. A coin bought in one market and sold in the other is held in neither: the rest counts in the market
 * where more of it was bought, or sold. The bridge's base counts in the bridge: plus the proceeds of sales
 * for it, less the cost of purchases with it, down to zero. So a purchase with an amount that the account had
 * before makes no short position. `bridgeHeld` is its total holding.
 */
export function positionIn(
  { symbol, base, quote }: MarketName,
  flowOf: (market: string) => MarketFlow,
  { marketNames, bridgeHeld }: { readonly marketNames: MarketNames; readonly bridgeHeld: Units },
): Units {
  const { position } = flowOf(symbol);
  const { bridge, symbolIn, otherQuote } = marketNames;
  if (symbol === bridge.market) return heldInBridge(position, subtractUnits(bridgeHeld, position));
  const other = flowOf(symbolIn(base, otherQuote(quote))).position;
  if (position > 0n === other > 0n || position === 0n || other === 0n) return position;
  const net = addUnits(position, other);
  return net > 0n === position > 0n ? net : NO_UNITS;
}

/** Of what was bought in the bridge and what came from other markets. */
function heldInBridge(bought: Units, came: Units): Units {
  const net = addUnits(bought, came);
  if (net >= 0n) return net;
  if (bought >= 0n) return NO_UNITS;
  return net > bought ? net : bought;
}
