import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExchangeClient } from '../../../src/exchange/client.ts';
import { BANK_ACCOUNT_ID, BUY, FULL_KEY, MERCHANT, READ_KEY } from '../world.ts';
import { clientOf, refusalOf, valueOf, type Venue } from './venue.ts';

const CALLBACK = 'https://shop.example.test/back?order=7';

const balanceOf = (client: ExchangeClient, currency: string): Promise<string> =>
  valueOf(client.walletBalance({ currency }));

/** Tests users, wallets, transfers, withdrawals and payments of a venue, by any adapter. */
export function accountSuite(open: () => Promise<Venue>): void {
  let venue: Venue;
  let alice: ExchangeClient;

  beforeEach(async () => {
    venue = await open();
    alice = clientOf(venue, 'alice');
  });

  afterEach(() => venue.close());

  /** Sends what the payer chose on the page of a payment. */
  const act = (token: string, body: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = `/app/paygate/${token}`;
    return venue.transport().send({ method: 'POST', path, headers, body, timeoutMs: 5000 });
  };

  describe('credentials', () => {
    test('from a log-in work for four hours and are renewed without being noticed', async () => {
      const client = clientOf(venue, {
        kind: 'login',
        login: { username: 'bob', password: 'bob-password', oneTimePassword: () => '271828' },
      });
      expect((await valueOf(client.profile())).profile.username).toBe('bob');
      venue.clock.nowMs += 5 * 3_600_000;
      expect((await valueOf(client.profile())).profile.username).toBe('bob');
      const attempts = await valueOf(clientOf(venue, 'bob').loginAttempts());
      expect(attempts.map(({ status, createdAtMs }) => [status, createdAtMs])).toEqual([
        ['Successful', venue.clock.nowMs],
        ['Successful', venue.clock.nowMs - 5 * 3_600_000],
      ]);
    });

    test('by key sign every call, with query and body', async () => {
      const client = clientOf(venue, { kind: 'key', key: FULL_KEY });
      const { order } = await valueOf(client.addOrder(BUY));
      expect((await valueOf(client.ordersList({ details: 2, status: 'all' }))).items).toEqual([order]);
      expect((await valueOf(client.profile())).profile.username).toBe('alice');
    });

    test('by key do no more than they are permitted', async () => {
      const client = clientOf(venue, { kind: 'key', key: READ_KEY });
      expect((await valueOf(client.ordersList())).items).toEqual([]);
      await expect(client.addOrder(BUY)).rejects.toMatchObject({ code: 'FORBIDDEN', outcome: 'none' });
    });

    test('by key are refused when the clock is wrong', async () => {
      const client = clientOf(venue, { kind: 'key', key: FULL_KEY });
      const late = clientOf(
        { ...venue, clock: { nowMs: venue.clock.nowMs - 31_000 } },
        { kind: 'key', key: FULL_KEY },
      );
      expect((await valueOf(client.ordersList())).items).toEqual([]);
      await expect(late.ordersList()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    });

    test('that are wrong are not taken for limits', async () => {
      const stranger = clientOf(venue, { kind: 'token', token: 'nobodys-token' });
      await expect(stranger.profile()).rejects.toMatchObject({ code: 'UNAUTHORIZED', retry: 'never' });
      await expect(clientOf(venue, 'nobody').profile()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    });
  });

  describe('the public part', () => {
    test('needs no credentials and is turned the right way round', async () => {
      await valueOf(alice.addOrder(BUY));
      await valueOf(alice.addOrder({ ...BUY, type: 'sell', price: '12700000000' }));
      const anyone = clientOf(venue, 'nobody');
      const book = await valueOf(anyone.orderBook({ symbol: 'BTCIRT' }));
      expect(book).toMatchObject({ bids: [['12500000000', '0.001']], asks: [['12700000000', '0.001']] });
      expect((await valueOf(anyone.allOrderBooks()))['BTCIRT']).toEqual(book);
      const depth = await valueOf(anyone.depth({ symbol: 'BTCIRT' }));
      expect(depth.lastTradePrice).toBe('12600000000');
      expect(depth.book.bids).toHaveLength(1);
      const [stats] = await valueOf(anyone.marketStats({ srcCurrency: 'btc', dstCurrency: 'rls' }));
      expect(stats).toMatchObject({ isClosed: false, bestBuy: '12500000000', bestSell: '12700000000' });
      expect((await valueOf(anyone.options())).priceSteps).toMatchObject({
        BTCIRT: '10',
        SHIBUSDT: '0.00000001',
      });
      expect(Object.keys(await valueOf(anyone.globalStats()))).toContain('btc');
      expect(await valueOf(anyone.marginMarkets())).toHaveProperty('BTCIRT');
    });

    test('shows a trade on the tape and in the candles', async () => {
      await valueOf(clientOf(venue, 'bob').addOrder({ ...BUY, type: 'sell' }));
      await valueOf(alice.addOrder(BUY));
      const timeMs = Math.floor(venue.clock.nowMs / 1000) * 1000;
      expect(await valueOf(alice.publicTrades({ symbol: 'BTCIRT' }))).toEqual([
        { timeMs, price: '12500000000', amount: '0.001', side: 'buy' },
      ]);
      const range = { symbol: 'BTCIRT', to: Math.floor(timeMs / 1000) + 1, countback: 5 };
      const candles = await valueOf(alice.history({ ...range, resolution: '60' }));
      expect(candles.at(-1)).toMatchObject({ open: '12500000000', close: '12500000000', volume: '0.001' });
    });
  });

  describe('the user', () => {
    test('has limitations, referral, cards, accounts and favourites', async () => {
      expect(await valueOf(alice.limitations())).toMatchObject({ features: { rial_withdrawal: true } });
      expect(await valueOf(alice.referralCode())).toMatchObject({
        referralCode: 'ALICE-1',
        referralFeeTotal: '1218753',
      });
      expect(await valueOf(alice.addCard({ number: '6219861000000002', bank: 'Saman' }))).toBeNull();
      const account = { number: '987', shaba: 'IR820540102680020817909002', bank: 'Parsian' };
      expect(await valueOf(alice.addAccount(account))).toBeNull();
      const { profile } = await valueOf(alice.profile());
      expect(profile.bankCards).toHaveLength(2);
      expect(profile.bankAccounts).toHaveLength(2);
      expect(await valueOf(alice.addFavoriteMarkets({ market: 'USDTIRT' }))).toEqual(['BTCIRT', 'USDTIRT']);
      expect(await valueOf(alice.removeFavoriteMarkets({ market: 'BTCIRT' }))).toEqual(['USDTIRT']);
      expect(await valueOf(alice.favoriteMarkets())).toEqual(['USDTIRT']);
    });

    test('has wallets whose transactions add up to the balance', async () => {
      await valueOf(clientOf(venue, 'bob').addOrder({ ...BUY, type: 'sell' }));
      await valueOf(alice.addOrder(BUY));
      const rial = (await valueOf(alice.walletsList())).find(({ currency }) => currency === 'rls');
      expect(rial).toMatchObject({ balance: '999987500000', blocked: '0', active: '999987500000' });
      const { items } = await valueOf(alice.walletTransactions({ wallet: rial?.id ?? 0 }));
      expect(items.map(({ amount }) => amount)).toEqual(['-12500000', '1000000000000']);
      expect(await balanceOf(alice, 'btc')).toBe('10.0009975');
    });

    test('gets a wallet with an address, and deposits that are confirmed in time', async () => {
      const { address, tag } = await valueOf(alice.generateAddress({ currency: 'btc' }));
      const wallet = (await valueOf(alice.walletsList())).find(({ currency }) => currency === 'btc');
      expect(wallet).toMatchObject({ depositAddress: address, depositTag: tag });
      expect(await valueOf(alice.deposits({ wallet: 'all' }))).toEqual({ items: [], hasNext: false });
    });
  });

  describe('margin', () => {
    test('takes a transfer there and back', async () => {
      const there = { currency: 'usdt', amount: '7.5', src: 'spot', dst: 'margin' } as const;
      const moved = await valueOf(alice.transfer(there));
      expect([moved.srcWallet.balance, moved.dstWallet.balance]).toEqual(['999992.5', '7.5']);
      expect((await valueOf(alice.wallets({ type: 'margin', currencies: 'usdt' })))[0]).toMatchObject({
        balance: '7.5',
      });
      await valueOf(alice.transfer({ ...there, src: 'margin', dst: 'spot' }));
      expect(await balanceOf(alice, 'usdt')).toBe('1000000');
      expect(await refusalOf(alice.transfer({ ...there, amount: '1000001' }))).toMatchObject({
        code: 'InsufficientBalance',
      });
    });

    test('has pools and a delegation limit', async () => {
      expect(Object.keys(await valueOf(alice.liquidityPools()))).toContain('btc');
      expect(Number(await valueOf(alice.delegationLimit({ currency: 'btc' })))).toBeGreaterThan(0);
    });
  });

  describe('a rial withdrawal', () => {
    const order = { destinationBankAccountId: BANK_ACCOUNT_ID, amount: '5000000' };

    test('is taken from the wallet at once and comes back when cancelled within three minutes', async () => {
      const made = await valueOf(alice.createWithdrawal(order));
      expect(made).toMatchObject({ status: 'New', amount: '5000000', isCancelable: true });
      expect(await balanceOf(alice, 'rls')).toBe('999995000000');
      venue.clock.nowMs += 100_000;
      await valueOf(alice.cancelWithdrawal({ id: made.id }));
      expect(await valueOf(alice.withdrawal({ id: made.id }))).toMatchObject({ status: 'Canceled' });
      expect(await balanceOf(alice, 'rls')).toBe('1000000000000');
      expect(await refusalOf(alice.cancelWithdrawal({ id: made.id }))).toMatchObject({
        code: 'NotCancellable',
      });
    });

    test('is paid less its fee, and can not be cancelled then', async () => {
      const made = await valueOf(alice.createWithdrawal(order));
      venue.clock.nowMs += 3_600_000;
      const paid = await valueOf(alice.withdrawal({ id: made.id }));
      expect(paid.status).toBe('Done');
      expect(Number(paid.fulfilledAmount)).toBe(5_000_000 - Number(paid.fee));
      expect(await refusalOf(alice.cancelWithdrawal({ id: made.id }))).toMatchObject({
        code: 'NotCancellable',
      });
      expect((await valueOf(alice.withdrawals())).items).toMatchObject([
        { id: made.id, status: 'Done', currency: 'rls' },
      ]);
    });

    test('is refused beyond the balance, and to an account of somebody else', async () => {
      const foreign = { ...order, destinationBankAccountId: 1 };
      expect(await refusalOf(alice.createWithdrawal(foreign))).toMatchObject({ code: 'BankAccountNotFound' });
      expect(await refusalOf(alice.withdrawal({ id: 'CW999999' }))).toMatchObject({
        code: 'NotFound',
        httpStatus: 404,
      });
    });

    test('is closed for an hour after a log-in from a new device', async () => {
      const login = { username: 'alice', password: 'alice-password' };
      const fresh = clientOf(venue, { kind: 'login', login });
      expect(await refusalOf(fresh.createWithdrawal(order))).toMatchObject({ code: 'WithdrawUnavailable' });
      venue.clock.nowMs += 3_600_000;
      expect(await valueOf(fresh.createWithdrawal(order))).toMatchObject({ status: 'New' });
    });
  });

  describe('a payment', () => {
    test('goes from the invoice over the pay page and back to its verification', async () => {
      const merchant = clientOf(venue, 'nobody').gateway(MERCHANT);
      const { token } = await valueOf(
        merchant.send({ amount: 250_000, callbackURL: CALLBACK, factorNumber: 'F-1' }),
      );
      expect(await refusalOf(merchant.verify(token))).toMatchObject({ code: '-31' });
      const path = new URL(merchant.payPageUrl(token)).pathname;
      const read = { method: 'GET', path, headers: {}, body: null, timeoutMs: 5000 } as const;
      const page = await venue.transport().send(read);
      expect(page.status).toBe(200);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      const paid = await act(token, 'action=pay&currency=btc');
      expect(paid.status).toBe(302);
      expect(merchant.parseCallback(paid.headers['location'] ?? '')).toEqual({ token, claimsSuccess: true });
      expect(await valueOf(merchant.verify(token))).toMatchObject({ amount: '250000', factorNumber: 'F-1' });
      expect(await refusalOf(merchant.verify(token))).toMatchObject({ code: '-32', outcome: 'applied' });
    });

    test('that the payer gave up is not verified', async () => {
      const merchant = clientOf(venue, 'nobody').gateway(MERCHANT);
      const { token } = await valueOf(merchant.send({ amount: 10_000, callbackURL: CALLBACK }));
      const left = await act(token, 'action=cancel');
      expect(merchant.parseCallback(left.headers['location'] ?? '')).toEqual({ token, claimsSuccess: false });
      expect(await refusalOf(merchant.verify(token))).toMatchObject({ code: '-31' });
    });

    test('of another secret is not believed', async () => {
      const merchant = clientOf(venue, 'nobody').gateway({ ...MERCHANT, apiSecret: 'guessed' });
      const { token } = await valueOf(merchant.send({ amount: 10_000, callbackURL: CALLBACK }));
      await act(token, 'action=pay&currency=ltc');
      expect(await refusalOf(merchant.verify(token))).toMatchObject({ code: 'HashMismatch' });
    });
  });
}
