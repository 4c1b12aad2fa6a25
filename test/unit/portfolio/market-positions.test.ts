import { expect, test } from 'vitest';
import { parseMarket, MARKET_NAMES } from '../../../src/exchange/market-names.ts';
import { formatUnits, parseUnits, type Units } from '../../../src/domain/money.ts';
import { positionIn } from '../../../src/engine/risk/exposure-checks.ts';

/**
 * What is held in BTCIRT, BTCUSDT and USDTIRT after purchases of so much in each, and with so much tether in
 * all.
 */
const heldAfter = (bought: readonly [string, string, string], tether: string) => {
  const [inRial, inTether, bridge] = bought.map((text) => parseUnits(text));
  const flows: Readonly<Record<string, Units | undefined>> = {
    BTCIRT: inRial,
    BTCUSDT: inTether,
    USDTIRT: bridge,
  };
  const zero = parseUnits('0');
  const flowOf = (market: string) => ({ position: flows[market] ?? zero, cash: zero });
  return ['BTCIRT', 'BTCUSDT', 'USDTIRT'].map((symbol) =>
    formatUnits(
      positionIn(parseMarket(symbol), flowOf, { marketNames: MARKET_NAMES, bridgeHeld: parseUnits(tether) }),
    ),
  );
};

test.each([
  ['stays where it was bought', ['1', '2', '3'], '3', ['1', '2', '3']],
  ['is gone once it was sold in the other market', ['1', '-1', '0'], '0', ['0', '0', '0']],
  ['is what is left of it, where it was bought', ['1', '-0.8', '0'], '0', ['0.2', '0', '0']],
  ['is owed where more of it was sold', ['1', '-1.5', '0'], '0', ['0', '-0.5', '0']],
  ['is owed where it was sold in both', ['-1', '-2', '0'], '0', ['-1', '-2', '0']],
] as const)('a coin %s', (_, bought, tether, held) => {
  expect(heldAfter(bought, tether)).toEqual(held);
});

test.each([
  ['that came from a sale counts', ['0', '0', '0'], '100', '100'],
  ['that was bought and spent is gone', ['0', '0', '100'], '0', '0'],
  ['that the account had before and spent is not owed', ['0', '0', '0'], '-100', '0'],
  ['that was sold for rial is owed', ['0', '0', '-100'], '-150', '-100'],
  ['that was sold for rial and came back is owed no more', ['0', '0', '-100'], '-40', '-40'],
] as const)('tether %s', (_, bought, tether, held) => {
  expect(heldAfter(bought, tether)[2]).toBe(held);
});
