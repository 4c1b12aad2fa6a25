import { describe, expect, test } from 'vitest';
import { changeLines, walletChanges } from '../../../src/cli/commands/reconcile.ts';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import type { WalletTransaction } from '../../../src/venues/port.ts';
import { placeholderIdOf, type FillRecord } from '../../../src/records/fill.ts';
import { readMovements } from '../../../src/mirror/read-reconciliation.ts';
import { DURABLE, fillRecord, MirrorFolder } from '../mirror/mirror-fixture.ts';
import { orderIdOf, tradeIdOf, transactionIdOf } from '../../../src/venues/read-records.ts';

const line = (id: number, atMs: number, text: string): WalletTransaction => {
  const [amount = '', currency = ''] = text.split(' ');
  return {
    id: transactionIdOf(id),
    currency,
    atMs,
    amount: parseUnits(amount),
    description: `line ${id}`,
    tooFine: null,
  };
};

/** Makes a trade of 2 BTC for 100 rial each, with a fee of 1 % of what is received. */
const trade = (tradeId: number, atMs: number, side: 'buy' | 'sell'): FillRecord =>
  fillRecord({
    tradeId: tradeIdOf(tradeId),
    cursor: tradeId,
    atMs,
    side,
    amount: parseUnits('2'),
    price: parseUnits('100'),
    total: parseUnits('200'),
    fee: parseUnits(side === 'buy' ? '0.02' : '2'),
  });

const at = (second: number): number => Date.parse('2026-01-05T12:00:00Z') + second * 1_000;

/** Writes each change as a line: time, wallet, amount, trade, line and what is missing. */
const shown = (
  fills: readonly FillRecord[],
  transactions: readonly WalletTransaction[],
  ...currencies: string[]
) =>
  walletChanges({ fills, transactions }, new Set(currencies)).map(
    (each) =>
      `${each.atMs} ${formatUnits(each.units)} ${each.currency} ${each.fill?.tradeId ?? '-'}/${each.line?.id ?? '-'} ${each.missing ?? 'ok'}`,
  );

describe('changes of wallets', () => {
  test('have a trade with its lines in both wallets, the fee in what was received', () => {
    const lines = [
      line(1, 10, '1.98 btc'),
      line(2, 10, '-200 rls'),
      line(3, 20, '-2 btc'),
      line(4, 20, '198 rls'),
    ];
    expect(shown([trade(70, 10, 'buy'), trade(71, 20, 'sell')], lines, 'btc', 'rls')).toEqual([
      '10 1.98 btc 70/1 ok',
      '10 -200 rls 70/2 ok',
      '20 -2 btc 71/3 ok',
      '20 198 rls 71/4 ok',
    ]);
  });

  test('are of the wallets that are asked for, and name a line without a trade', () => {
    expect(shown([trade(70, 10, 'buy')], [line(1, 5, '-50 rls'), line(2, 6, '9 usdt')], 'rls')).toEqual([
      '5 -50 rls -/1 trade',
      '10 -200 rls 70/- ok',
    ]);
  });

  test('miss a line only where the history of that wallet is known on both sides', () => {
    const fills = [trade(70, 10, 'buy'), trade(71, 20, 'buy'), trade(72, 30, 'buy')];
    const lines = [line(1, 15, '7 rls'), line(2, 25, '8 rls'), line(3, 5, '9 usdt'), line(4, 40, '9 usdt')];
    expect(shown(fills, lines, 'rls', 'usdt').filter((text) => text.includes('-200'))).toEqual([
      '10 -200 rls 70/- ok',
      '20 -200 rls 71/- line',
      '30 -200 rls 72/- ok',
    ]);
  });

  test('give each trade a line of its own, the nearest in time', () => {
    const fills = [trade(70, 10, 'buy'), trade(71, 100, 'buy')];
    const lines = [line(1, 101, '-200 rls'), line(2, 11, '-200 rls'), line(3, 50, '-200 rls')];
    expect(shown(fills, lines, 'rls')).toEqual([
      '10 -200 rls 70/2 ok',
      '50 -200 rls -/3 trade',
      '100 -200 rls 71/1 ok',
    ]);
  });

  test('have the lines of all trades that a placeholder stands for in it', () => {
    const placeholder = { ...trade(70, 90, 'sell'), tradeId: placeholderIdOf(orderIdOf(7)) };
    const lines = [line(1, 5, '-0.7 btc'), line(2, 6, '-1.3 btc'), line(3, 99, '-4 btc')];
    const expected = '90 -2 btc placeholder 7/- ok,99 -4 btc -/3 trade';
    expect(shown([placeholder], lines, 'btc').join()).toBe(expected);
  });

  test('leave out trades of a market that nobody knows', () => {
    expect(shown([fillRecord({ market: '?' })], [], 'btc', 'rls')).toEqual([]);
  });
});

describe('odd changes', () => {
  const NOW_MS = Date.parse('2026-01-05T12:00:30Z');
  const differences = [{ currency: 'rls', expected: '1000', found: '950', difference: '-50' }];

  test('are shown with what is odd about them, the others are counted', () => {
    const fills = [
      trade(69, at(1), 'sell'),
      trade(70, at(3), 'buy'),
      trade(71, at(5), 'sell'),
      trade(72, at(9), 'buy'),
    ];
    const transactions = [line(1, at(2), '-50 rls'), line(2, at(3), '-200 rls'), line(3, at(7), '25 rls')];
    const changes = walletChanges({ fills, transactions }, new Set(['rls']));
    expect(changeLines(changes, { differences, nowMs: NOW_MS })).toEqual([
      'time (UTC)  currency  change  trade  line  what                     note',
      '12:00:02    rls          -50      -     1  line 1                   no trade, as large as the difference',
      '12:00:05    rls          198     71     -  sell 2 BTCIRT, ma-cross  no line',
      '12:00:07    rls           25      -     3  line 3                   no trade',
      'Besides: 1 with a trade and its line, 2 trades outside of the history that was read. --json lists them.',
    ]);
  });

  test('are none where nothing moved', () => {
    expect(changeLines([], { differences, nowMs: NOW_MS })).toEqual([
      'Nothing is known to have moved in these wallets since then.',
    ]);
  });
});

test('movements in the mirror are the newest of a time on, oldest first, whatever order they came in', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open();
  store.apply(
    [
      ...[30, 10, 20, 5].map((atMs) => ({ kind: 'fill', fill: trade(atMs, atMs, 'buy') }) as const),
      ...[31, 11, 21, 6].map(
        (atMs) => ({ kind: 'transaction', transaction: line(atMs, atMs, '1.5 rls') }) as const,
      ),
    ],
    DURABLE,
  );
  const { fills, transactions } = readMovements(mirror.path, { fromMs: 10, last: 2 });
  expect(fills).toEqual([trade(20, 20, 'buy'), trade(30, 30, 'buy')]);
  expect(transactions).toEqual([line(21, 21, '1.5 rls'), line(31, 31, '1.5 rls')]);
  expect(readMovements(mirror.path, { fromMs: 10, last: 9 }).fills.map(({ atMs }) => atMs)).toEqual([
    10, 20, 30,
  ]);
});
