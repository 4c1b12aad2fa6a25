import { expect, test } from 'vitest';
import { AccountState } from '../../../src/engine/feeds/account-state.ts';
import { IssueLog } from '../../../src/engine/issue-log.ts';
import { Outbox } from '../../../src/engine/outbox.ts';
import { NO_UNITS } from '../../../src/domain/money.ts';
import { venueWalletId } from '../../../src/domain/order.ts';

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

test('the wallet whose history was asked for the longest ago is next, also where only some are wanted', () => {
  const state = account(0);
  const next = (wanted: ReadonlySet<string>): string | undefined => state.nextOf(wanted)?.currency;
  expect([next(ALL), next(ALL), next(ALL), next(ALL)]).toEqual(['rls', 'usdt', 'btc', 'rls']);
  expect([next(new Set(['rls', 'btc'])), next(ALL), next(ALL)]).toEqual(['btc', 'usdt', 'rls']);
  expect(next(new Set(['eth']))).toBeUndefined();
});

test('lives that end after one question ask for each wallet in turn', () => {
  const first = [0, 1, 2].map((seconds) => account(seconds * 1_000).nextOf(ALL)?.currency);
  expect(new Set(first)).toEqual(ALL);
});
