import { describe, expect, it } from 'vitest';
import { AccountState } from '../../../src/engine/feeds/account-state.ts';
import { IssueLog } from '../../../src/engine/issue-log.ts';
import { Outbox } from '../../../src/engine/outbox.ts';
import { WalletHistory, type HistoryRead } from '../../../src/engine/feeds/wallet-history.ts';
import { NO_UNITS, type Units } from '../../../src/domain/money.ts';
import { venueWalletId, walletTransactionId } from '../../../src/domain/order.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';

const PAGE = 50;

/** A wallet whose history consists of the ids that a test gives. */
class Wallet {
  readonly history = new WalletHistory(new IssueLog(new Outbox()), INTERFACE_PROFILE.ownLists);
  pages = 0;
  private atMs = 0;

  /** Reads a list, newest last; returns the ids that count from now on, null if there are none. */
  read(ids: readonly number[], amountOf = (id: number): number => id): readonly number[] | null {
    const end = this.readWhole(ids, amountOf);
    return end?.lines.map(({ id }) => Number(id)) ?? null;
  }

  readWhole(ids: readonly number[], amountOf = (id: number): number => id): HistoryRead | null {
    this.atMs += 1_000;
    const shown = ids.toReversed().map((id) => ({
      id: walletTransactionId(String(id)),
      currency: 'usdt',
      atMs: id,
      amount: BigInt(amountOf(id)) as Units,
      description: '',
      tooFine: null,
    }));
    for (let page = 1; ; page += 1) {
      this.pages = page;
      const lines = shown.slice((page - 1) * PAGE, page * PAGE);
      const way = { page, askedAtMs: this.atMs, hasNext: shown.length > page * PAGE };
      if (!this.history.applyPage('usdt', lines, way)) return this.history.end('usdt');
    }
  }

  get readTwiceSinceMs(): number {
    return this.history.readTwiceSinceMs('usdt');
  }
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

/** Makes a wallet with a history that has been read twice. */
function begun(last: number): Wallet {
  const wallet = new Wallet();
  wallet.read(upTo(last));
  expect(wallet.read(upTo(last))).toHaveLength(Math.min(last, PAGE));
  return wallet;
}

describe('the history of a wallet', () => {
  it('counts each line that two readings have shown, though each reading has another new one', () => {
    const wallet = begun(3);
    expect(wallet.read([1, 2, 3, 4])).toBeNull();
    expect(wallet.read([1, 2, 3, 4, 5])).toEqual([4]);
    expect(wallet.read([1, 2, 3, 4, 5, 6])).toEqual([5]);
    expect(wallet.read([1, 2, 3, 4, 5, 6])).toEqual([6]);
    expect(wallet.read([1, 2, 3, 4, 5, 6])).toBeNull();
  });

  it('is read for the first time though its oldest line leaves the page with each new one', () => {
    const wallet = new Wallet();
    expect(wallet.read(upTo(60))).toBeNull();
    expect(wallet.history.lastLines.has('usdt')).toBe(false);
    expect(wallet.read(upTo(62))).toEqual(upTo(60).slice(12));
    expect(wallet.history.lastLines.has('usdt')).toBe(true);
    expect(wallet.read(upTo(62))).toEqual([61, 62]);
  });

  it('is not begun with a part of what two readings have shown', () => {
    const wallet = new Wallet();
    wallet.read(upTo(20));
    expect(wallet.read(upTo(20), (id) => (id === 7 ? 0 : id))).toBeNull();
    expect(wallet.history.lastLines.has('usdt')).toBe(false);
  });

  it('counts a line that is listed late, below lines that count already', () => {
    const wallet = begun(10);
    wallet.read([...upTo(10), 12, 13]);
    expect(wallet.read([...upTo(10), 12, 13])).toEqual([12, 13]);
    expect(wallet.read(upTo(13))).toBeNull();
    expect(wallet.read(upTo(13))).toEqual([11]);
    expect(wallet.read(upTo(13))).toBeNull();
  });

  it('counts a late line after a restart', () => {
    const wallet = begun(10);
    wallet.read([...upTo(10), 12]);
    wallet.read([...upTo(10), 12]);
    const restarted = new Wallet();
    restarted.history.restore(wallet.history.store());
    restarted.read(upTo(12));
    expect(restarted.read(upTo(12))).toEqual([11]);
  });

  it('passes over no line that a page lacks, as where the list has grown between two pages', () => {
    const wallet = begun(10);
    const gap = upTo(100).filter((id) => id !== 40);
    wallet.read(upTo(100));
    expect(wallet.read(gap)).toEqual(upTo(39).slice(10));
    expect(wallet.read(upTo(100))).toBeNull();
    expect(wallet.read(upTo(100))).toEqual(upTo(100).slice(39));
  });

  it('counts a line once that two pages show', () => {
    const wallet = begun(3);
    wallet.read([1, 2, 3, 4, 4, 5]);
    expect(wallet.read([1, 2, 3, 4, 5, 5])).toEqual([4, 5]);
  });

  it('believes no amount that another reading tells otherwise', () => {
    const wallet = begun(3);
    wallet.read([1, 2, 3, 4], () => 9);
    expect(wallet.read([1, 2, 3, 4])).toBeNull();
    expect(wallet.read([1, 2, 3, 4])).toEqual([4]);
  });

  it('reads on until it has joined some of the lines that count', () => {
    const wallet = begun(60);
    wallet.read(upTo(95));
    expect(wallet.pages).toBe(1);
    wallet.read(upTo(105));
    expect(wallet.pages).toBe(2);
  });

  it('says how far it was read twice: an old list, or one with a line that does not count yet, is no proof', () => {
    const wallet = begun(3);
    wallet.read([1, 2, 3]);
    wallet.read([1, 2, 3]);
    expect(wallet.readTwiceSinceMs).toBe(3_000);
    wallet.read([1, 2, 3, 4]);
    // The list is older than the one before.
    wallet.read([1, 2, 3]);
    expect(wallet.readTwiceSinceMs).toBe(3_000);
    wallet.read([1, 2, 3, 4]);
    wallet.read([1, 2, 3, 4, 5]);
    expect(wallet.readTwiceSinceMs).toBe(4_000);
    wallet.read([1, 2, 3, 4, 5]);
    expect(wallet.readTwiceSinceMs).toBe(8_000);
  });

  it('is read again at once where a reading has confirmed nothing, and not for each new line', () => {
    const wallet = begun(3);
    wallet.read([1, 2, 3, 4]);
    expect(wallet.history.unconfirmed).toEqual(new Set(['usdt']));
    wallet.read([1, 2, 3, 4, 5]);
    expect(wallet.history.unconfirmed).toEqual(new Set());
  });

  it('says that it is cut where it has more new lines than are read at once', () => {
    const wallet = begun(3);
    wallet.readWhole(upTo(2_100));
    expect(wallet.pages).toBe(40);
    const read = wallet.readWhole(upTo(2_101));
    expect(read).toMatchObject({ isCut: true, isFirst: false });
    expect(read?.lines.map(({ id }) => Number(id))).toEqual(upTo(2_100).slice(101));
    expect(wallet.readWhole(upTo(2_101))).toMatchObject({ isCut: false });
  });
});

const CURRENCIES = ['rls', 'usdt', 'btc'];
const ALL = new Set(CURRENCIES);

function account(nowMs: number): AccountState {
  const outbox = new Outbox();
  outbox.nowMs = nowMs;
  const state = new AccountState(outbox, new IssueLog(outbox));
  state.apply(
    CURRENCIES.map((currency) => {
      return { currency, walletId: venueWalletId(currency), total: NO_UNITS, held: NO_UNITS, tooFine: null };
    }),
    nowMs,
  );
  return state;
}

it('the wallet whose history was asked for the longest ago is next, also where only some are wanted', () => {
  const state = account(0);
  const next = (wanted: ReadonlySet<string>): string | undefined => state.nextOf(wanted)?.currency;
  expect([next(ALL), next(ALL), next(ALL), next(ALL)]).toEqual(['rls', 'usdt', 'btc', 'rls']);
  expect([next(new Set(['rls', 'btc'])), next(ALL), next(ALL)]).toEqual(['btc', 'usdt', 'rls']);
  expect(next(new Set(['eth']))).toBeUndefined();
});

it('lives that end after one question ask for each wallet in turn', () => {
  const first = [0, 1, 2].map((seconds) => account(seconds * 1_000).nextOf(ALL)?.currency);
  expect(new Set(first)).toEqual(ALL);
});
