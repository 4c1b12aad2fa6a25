import { describe, expect, it } from 'vitest';
import type { BudgetReport } from '../../../src/budget/ledger-report.ts';
import {
  beginsText,
  freshTradingBegins,
  neededBudgets,
  tradingBegins,
  waitSentence,
} from '../../../src/budget/trading-begins.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { budgetTable } from '../../../src/exchange/client-options.ts';
import { english } from '../../../src/language/sentence.ts';

const NEEDED = neededBudgets(INTERFACE_PROFILE);
const US = { subjects: new Set(['this-address', 'our-token']), needed: NEEDED };

function row(budget: string, but: Partial<BudgetReport> = {}): BudgetReport {
  return {
    subject: 'our-token',
    budget,
    limit: 300,
    ownLimit: 300,
    lowered: null,
    windowMs: 600_000,
    inUse: 0,
    reserve: 0,
    assumed: false,
    fullForMs: 0,
    isUnheard: false,
    onTheWay: 0,
    lockedForMs: null,
    isOnTrial: false,
    stoppedForMs: null,
    ...but,
  };
}

describe('when trading can begin', () => {
  it('is at once where the ledger knows everything', () => {
    expect(tradingBegins([row('orders/add'), row('orders/list')], US)).toMatchObject({
      waitMs: 0,
      why: null,
    });
  });

  it('is when the last of the budgets that it takes is free', () => {
    const begins = tradingBegins(
      [
        row('orders/list', { fullForMs: 60_000 }),
        row('orders/add', { fullForMs: 541_200 }),
        row('v2/options'),
      ],
      US,
    );
    expect(english(beginsText(begins))).toBe(
      'trading can begin in 542 s, by the ledger: what was sent before is not known, so the limit of orders/add counts as used up',
    );
  });

  it('is after a lockout that lasts longer', () => {
    const begins = tradingBegins([row('orders/add', { fullForMs: 10_000, lockedForMs: 3_600_000 })], US);
    expect(begins).toMatchObject({ waitMs: 3_600_000, why: 'locked out' });
    expect(waitSentence(begins, 0)).toBe(beginsText(begins));
  });

  it('waits for no budget of somebody else, and for none that no order needs', () => {
    const rows = [
      row('orders/add', { subject: 'another', fullForMs: 9_000 }),
      row('wallets/transfer', { fullForMs: 9_000 }),
    ];
    expect(tradingBegins(rows, US).waitMs).toBe(0);
  });

  it('is a window after the first answer of the exchange while that has not answered', () => {
    const begins = tradingBegins([row('orders/add', { fullForMs: 718_000, isUnheard: true })], US);
    expect(english(beginsText(begins))).toBe(
      "trading can begin 600 s after the exchange's first answer, in 718 s at the latest, by the ledger: what was sent before is not known, so the limit of orders/add counts as used up",
    );
    expect(english(waitSentence(begins, Date.UTC(2026, 3, 7, 11, 0, 0, 1)))).toBe(
      `${english(beginsText(begins))}. The wait ends by 2026-04-07T11:11:59Z (1405/01/18 14:41 in Tehran). If nothing was sent to the exchange lately, stop the bot and run "sarraf ledger new"`,
    );
  });

  it('without a ledger is after the longest window, and without headroom after what may still be on its way besides', () => {
    const orders = { budget: 'orders/add', why: 'unknown', latestMs: 720_000 };
    expect(freshTradingBegins(budgetTable({}).values(), NEEDED)).toEqual({
      ...orders,
      waitMs: 600_000,
    });
    expect(freshTradingBegins(budgetTable({}, 0).values(), NEEDED)).toEqual({
      ...orders,
      waitMs: 720_000,
    });
  });
});
