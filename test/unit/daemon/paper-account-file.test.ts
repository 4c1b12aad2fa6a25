import { readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  hasPaperAccount,
  PAPER_ACCOUNT,
  PaperAccountFile,
  makeRoomForPaperAccount,
} from '../../../src/daemon/paper-account-file.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../src/domain/market.ts';
import { parseUnits, unitsOf } from '../../../src/domain/money.ts';
import type { VenueOrder } from '../../../src/domain/order.ts';
import type { VenueTrade } from '../../../src/domain/trade.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { bookColumns, tradeColumns } from '../../../src/recording/records.ts';
import { FOLLOWING_USER, FollowedExchange } from '../../../src/venues/followed-exchange.ts';
import { DEFAULT_LIQUIDITY } from '../../../src/venues/fill-rules.ts';
import type { Page, VenueCall, WalletReading } from '../../../src/venues/port.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';
import { MirrorFolder, NOW_MS } from '../mirror/mirror-fixture.ts';
import { beginPaperAccount } from './left-record.ts';

test('a mirror without its account goes aside, and one with an account stays until a new one is wanted', () => {
  using place = new MirrorFolder();
  const { folder } = place;
  const path = join(folder, 'paper.sqlite');
  const make = (isWanted: boolean): string | null =>
    makeRoomForPaperAccount(folder, { isWanted, nowMs: NOW_MS + Number(isWanted) });
  expect(make(false)).toBeNull();
  place.open({ path }).close();
  const aside = make(false);
  expect(existsSync(path)).toBe(false);
  expect(existsSync(join(aside ?? '', 'paper.sqlite'))).toBe(true);

  place.open({ path }).close();
  beginPaperAccount(folder, NOW_MS);
  expect(make(false)).toBeNull();
  const replaced = make(true);
  for (const name of ['paper.sqlite', PAPER_ACCOUNT]) {
    expect(existsSync(join(folder, name))).toBe(false);
    expect(existsSync(join(replaced ?? '', name))).toBe(true);
  }
});

const MARKET = createMarket({ market: parseMarket('BTCUSDT'), priceStep: '1', amountStep: '0.1' });
const ORIGIN = { baseUrl: 'http://exchange.test', balances: { usdt: '100000', btc: '500' } };

const side = fc.constantFrom('buy' as const, 'sell' as const);
const price = fc.integer({ min: 93, max: 107 });
const amount = fc.integer({ min: 1, max: 60 });
const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('book' as const),
      middle: fc.integer({ min: 95, max: 105 }),
      amount,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('trade' as const), side, amount, price }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('limit' as const), side, amount, price }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('market' as const), side, amount, price }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stop' as const), side, amount, price }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('oco' as const), side, amount, price }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), index: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
);

type Event = typeof event extends fc.Arbitrary<infer Kind> ? Kind : never;

const folder = folderOfEachTest();

describe('a paper account in its file', () => {
  it('knows after every crash what it has told: orders, trades, wallets and their history', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 5, maxLength: 40 }), (events) => {
        const account = new Account(folder);
        try {
          for (const each of events) account.do(each);
          account.crash();
        } finally {
          account.end();
          rmSync(join(folder, PAPER_ACCOUNT), { force: true });
        }
      }),
      { numRuns: deepRuns(60, 12) },
    );
  });

  it('is new until it was begun', () => {
    expect(hasPaperAccount(folder)).toBe(false);
    new PaperAccountFile(folder).close();
    expect(hasPaperAccount(folder)).toBe(false);
    new Account(folder).end();
    expect(hasPaperAccount(folder)).toBe(true);
  });

  it('keeps when and with what it began', () => {
    new Account(folder).end();
    const file = new PaperAccountFile(folder);
    expect(file.origin).toEqual(ORIGIN);
    expect(file.beganAtMs).toBe(1_000);
    expect(file.symbols).toEqual(['BTCUSDT']);
    file.close();
  });

  it('goes on after steps of the market have changed', () => {
    const account = new Account(folder);
    account.do({ kind: 'limit', side: 'buy', amount: 15, price: 95 });
    account.do({ kind: 'market', side: 'sell', amount: 15, price: 95 });
    expect(account.counts()).toEqual({ open: 1, trades: 1 });
    account.crash(createMarket({ market: parseMarket('BTCUSDT'), priceStep: '2', amountStep: '0.5' }));
    account.end();
  });

  it('refuses a damaged file and one of another program, and leaves them as they are', () => {
    for (const bytes of ['no database', readFileSync(process.execPath).subarray(0, 5_000)]) {
      writeFileSync(join(folder, PAPER_ACCOUNT), bytes);
      expect(() => new PaperAccountFile(folder)).toThrow(/a paper account/);
      expect(readFileSync(join(folder, PAPER_ACCOUNT))).toEqual(Buffer.from(bytes));
    }
  });

  it('says what to do where its market is not there any more', () => {
    const account = new Account(folder);
    account.do({ kind: 'limit', side: 'buy', amount: 15, price: 95 });
    const other = createMarket({ market: parseMarket('ETHUSDT'), priceStep: '1', amountStep: '0.1' });
    expect(() => account.crash(other)).toThrow(/BTCUSDT.*--new-account/s);
    account.end();
  });
});

/** A paper account on one market, in a process that can crash at any time. */
class Account {
  private readonly folder: string;
  private file: PaperAccountFile;
  private exchange: FollowedExchange;
  private market = MARKET;
  private nowMs = 1_000;
  private orders = 0;
  private told = '';

  constructor(folder: string) {
    this.folder = folder;
    this.file = new PaperAccountFile(folder);
    this.exchange = this.open();
    this.showBook(100, 20);
    this.told = this.all();
  }

  do(each: Event): void {
    this.nowMs += 11_000;
    const [market] = this.exchange.markets;
    if (each.kind === 'crash') this.crash();
    else if (each.kind === 'book') this.showBook(each.middle, each.amount);
    else if (each.kind === 'trade') {
      const seen = { timeMs: this.nowMs, seenMs: this.nowMs };
      const trade = { price: text(each.price), amount: tenths(each.amount), side: each.side };
      market?.onTrade(tradeColumns([{ ...trade, ...seen }]), 0, this.nowMs);
    } else {
      const call: VenueCall =
        each.kind === 'cancel'
          ? { kind: 'cancel', market: 'BTCUSDT', venueId: null, clientOrderId: `o${each.index}` }
          : this.placing(each);
      this.exchange.answer(call, this.nowMs);
      this.file.save();
      this.told = this.all();
    }
  }

  /** Crashes the process and starts anew: all that the account had answered before is still so. */
  crash(market = this.market): void {
    this.file.close();
    this.market = market;
    this.file = new PaperAccountFile(this.folder);
    this.exchange = this.open();
    expect(this.all()).toBe(this.told);
    this.showBook(100, 20);
    for (const each of this.exchange.markets) each.standAgain();
  }

  end(): void {
    this.file.close();
  }

  counts(): { readonly open: number; readonly trades: number } {
    const { items: orders } = this.value({
      kind: 'orders',
      status: 'open',
      market: null,
      from: null,
    }) as Page<VenueOrder>;
    const { items: trades } = this.value({ kind: 'trades', market: null, from: 1 }) as Page<VenueTrade>;
    return { open: orders.length, trades: trades.length };
  }

  private open(): FollowedExchange {
    const { file, market, nowMs } = this;
    return new FollowedExchange({
      markets: [{ market, hasTrades: false }],
      fees: { rls: { maker: 1_000, taker: 2_000 }, usdt: { maker: 1_000, taker: 2_000 } },
      balances: { usdt: parseUnits('100000'), btc: parseUnits('500') },
      limits: {},
      startMs: nowMs,
      rules: { ...DEFAULT_LIQUIDITY, own: 'hidden', tradesLagMs: 0 },
      restore: (fresh) => file.restore(fresh, nowMs),
      onMade: (made) => file.begin(made, { userId: FOLLOWING_USER, origin: ORIGIN, nowMs }),
      onEvent: (happened) => file.apply(happened),
    });
  }

  private showBook(middle: number, amount: number): void {
    const bids = [[text(middle - 1), tenths(amount)] as const];
    const asks = [[text(middle + 1), tenths(amount)] as const];
    const book = { venueTimeMs: null, seenMs: this.nowMs, bids, asks };
    this.exchange.markets[0]?.onBook(bookColumns([book]), 0, this.nowMs);
  }

  private placing(of: Extract<Event, { kind: 'limit' | 'market' | 'stop' | 'oco' }>): VenueCall {
    this.orders += 1;
    const common = {
      clientOrderId: `o${this.orders}`,
      base: 'btc' as const,
      quote: 'usdt' as const,
      side: of.side,
      amount: unitsOf(tenths(of.amount)),
    };
    if (of.kind === 'oco') {
      const away = of.side === 'sell' ? 5 : -5;
      return {
        kind: 'place-oco',
        order: {
          ...common,
          price: parseUnits(of.price + away),
          stopPrice: parseUnits(of.price - away),
          stopLimitPrice: parseUnits(of.price - 2 * away),
        },
      };
    }
    const execution = of.kind === 'stop' ? 'stop_market' : of.kind;
    return {
      kind: 'place',
      order: {
        ...common,
        execution,
        price: of.kind === 'limit' ? parseUnits(of.price) : null,
        stopPrice: of.kind === 'stop' ? parseUnits(of.price) : null,
      },
    };
  }

  /** Returns everything that can be asked of the account, as text. */
  private all(): string {
    const wallets = this.value({ kind: 'wallets' }) as readonly WalletReading[];
    const told = [
      this.value({ kind: 'orders', status: 'all', market: null, from: null }),
      this.value({ kind: 'trades', market: null, from: 1 }),
      wallets,
      wallets.map(({ walletId }) => this.value({ kind: 'transactions', walletId, page: 1 })),
    ];
    return JSON.stringify(told, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  }

  private value(call: VenueCall): unknown {
    const answer = this.exchange.answer(call, this.nowMs);
    if (answer.outcome !== 'value') throw new Error(`${call.kind}: ${JSON.stringify(answer)}`);
    return answer.value;
  }
}

const text = (value: number): ReturnType<typeof decimalText> => decimalText(String(value));

const tenths = (steps: number): ReturnType<typeof decimalText> => decimalText((steps / 10).toFixed(1));
