import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { formatUnits, parseUnits } from '../../../../src/domain/money.ts';
import type { MirrorChange } from '../../../../src/engine/mirror-change.ts';
import { orderIdOf, tradeIdOf, transactionIdOf, walletIdOf } from '../../../../src/venues/read-records.ts';
import type { FillRecord } from '../../../../src/records/fill.ts';
import { fillRecord, kept } from '../../mirror/mirror-fixture.ts';
import { openMirror } from '../../../support/open-mirror.ts';

const at = (text: string): number => Date.parse(`${text}Z`);

type Totals = Readonly<Record<string, string>>;

/** Makes a trade from `buy 1000 USDTIRT at 600000`; its fee is in the currency that is received. */
export function tradeOf(id: number, time: string, text: string, fee: string): FillRecord {
  const [side = '', amount = '', market = '', , price = ''] = text.split(' ');
  const total = (parseUnits(amount) * parseUnits(price)) / 10n ** 10n;
  return fillRecord({
    tradeId: tradeIdOf(id),
    cursor: id,
    venueOrderId: orderIdOf(id),
    orderKey: `bot-one-e001-${id}`,
    strategy: 'one',
    market,
    side: side as 'buy' | 'sell',
    atMs: at(time),
    price: parseUnits(price),
    amount: parseUnits(amount),
    total: parseUnits(formatUnits(total)),
    fee: parseUnits(fee),
  });
}

export function lineOf(id: number, time: string, text: string, description: string): MirrorChange {
  const [amount = '', currency = ''] = text.split(' ');
  const transaction = {
    id: transactionIdOf(id),
    currency,
    atMs: at(time),
    amount: parseUnits(amount),
    description,
    tooFine: null,
  };
  return { kind: 'transaction', transaction };
}

const wallet = (currency: string, total: string): MirrorChange => ({
  kind: 'wallet',
  wallet: {
    currency,
    walletId: walletIdOf(1),
    total: parseUnits(total),
    held: parseUnits('0'),
    tooFine: null,
  },
});

/** An account from March to May 2026: a deposit, tether for rial, bitcoin for tether, rial for bitcoin. */
export const ACCOUNT: readonly MirrorChange[] = [
  lineOf(1, '2026-03-26T08:00', '500000000 rls', 'Deposit 1'),
  { kind: 'fill', fill: tradeOf(70, '2026-03-27T10:00', 'buy 1000 USDTIRT at 600000', '1') },
  lineOf(2, '2026-03-27T10:00', '-600000000 rls', 'Trade'),
  lineOf(3, '2026-03-27T10:00', '999 usdt', 'Trade'),
  { kind: 'fill', fill: tradeOf(71, '2026-03-28T09:00', 'buy 0.005 BTCUSDT at 100000', '0.00001') },
  { kind: 'fill', fill: tradeOf(72, '2026-04-25T12:00', 'sell 0.00499 BTCIRT at 65000000000', '324350') },
  lineOf(4, '2026-05-02T12:00', '-100000000 rls', 'Withdrawal 9'),
];

export const BEGAN: Totals = { rls: '1000000000', usdt: '0', btc: '0' };
export const IN_MAY: Totals = { rls: '1224025650', usdt: '499', btc: '0' };
export const NOW: Totals = { rls: '1124025650', usdt: '499', btc: '0' };

export interface AccountOptions {
  readonly changes?: readonly MirrorChange[];
  /** Totals that the books have now. */
  readonly now?: Totals;
  /** Balances that were stored, with their times. */
  readonly marks?: readonly (readonly [time: string, totals: Totals])[];
}

/** Makes the mirror of an account as its bot would have left it. */
export function makeAccount(path: string, options: AccountOptions = {}): void {
  const { changes = ACCOUNT, now = NOW } = options;
  const marks = options.marks ?? [
    ['2026-03-25T01:00', BEGAN],
    ['2026-05-01T00:00', IN_MAY],
  ];
  const endMs = at('2026-05-10T00:00');
  const store = openMirror(path, endMs);
  const market: MirrorChange = {
    kind: 'market',
    market: {
      symbol: 'BTCIRT',
      version: 1,
      fromMs: at('2026-03-25T00:00'),
      priceStep: decimalText('1'),
      amountStep: decimalText('0.00000001'),
      minOrderValue: decimalText('0'),
    },
  };
  const units = Object.entries(now).map(([currency, total]) => [currency, String(parseUnits(total))]);
  const reconciliation = {
    books: { expected: Object.fromEntries(units), unmatched: [], outside: [], agreedAtMs: {} },
    lastLines: {},
    concludedAtMs: endMs,
    conclusions: 9,
    followed: Object.keys(now),
    begunAtMs: null,
    movedAtMs: endMs,
    suspicion: null,
    break: null,
  };
  const balanceMarks = {
    marks: marks.map(([time, totals]) => ({ seenAtMs: at(time), throughMs: at(time), totals })),
    isDue: false,
  };
  const all = [
    market,
    ...changes,
    ...Object.entries(now).map(([currency, total]) => wallet(currency, total)),
    kept('reconciliation', JSON.stringify(reconciliation)),
    kept('balance-marks', JSON.stringify(balanceMarks)),
  ];
  store.apply(all, { atMs: endMs, isDurable: true });
  store.close();
}
