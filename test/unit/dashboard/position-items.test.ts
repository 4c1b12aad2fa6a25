import { expect, test } from 'vitest';
import { positionItems } from '../../../src/dashboard/readers/strategy-items.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { NO_UNITS, parseUnits } from '../../../src/domain/money.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { writeInstance } from '../../../src/engine/strategy-instance-record.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import { MirrorFolder } from '../mirror/mirror-fixture.ts';
import { newLedger } from '../../support/new-ledger.ts';

/** Makes the strategy row of one that bought this amount of BTC at a price of 1, without a fee. */
function bought(amount: string): MirrorChange {
  const ledger = newLedger();
  ledger.applyTrade({
    market: parseMarket('BTCUSDT'),
    side: 'buy',
    atMs: 5_000,
    amount: parseUnits(amount),
    price: parseUnits('1'),
    total: parseUnits(amount),
    fee: NO_UNITS,
    leastAmount: parseUnits('0.000001'),
  });
  const json = writeInstance('{}', {
    ledger,
    requests: 0,
    fills: 1,
    orders: 1,
    fees: new Map(),
    capital: new Map(),
  });
  return { kind: 'strategy', strategy: { name: 'grid', status: 'running', reason: null, json, atMs: 6_000 } };
}

const market: MirrorChange = {
  kind: 'market',
  market: {
    symbol: 'BTCUSDT',
    version: 1,
    fromMs: 0,
    priceStep: decimalText('0.01'),
    amountStep: decimalText('0.000001'),
    minOrderValue: decimalText('5'),
  },
};

test.each([
  ['0.000001', false],
  ['0.0000009', true],
])('%s of a coin, which steps by 0.000001, needs no stop: %s', (amount, isProtected) => {
  using folder = new MirrorFolder();
  folder.open().apply([market, bought(amount)], { atMs: 6_000, isDurable: true });
  const reader = new MirrorReader(folder.path);
  expect(positionItems(reader, [])).toMatchObject([{ asset: 'btc', amount, isProtected }]);
  reader.close();
});
