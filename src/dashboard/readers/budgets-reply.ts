import type { BudgetReport } from '../../budget/ledger-report.ts';
import type { BudgetItem, BudgetsReply } from '../schema/budget.ts';
import type { LockoutItem, StrategyItem } from '../schema/overview.ts';
import type { SeriesItem } from '../schema/series.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { readReconciliation } from '../../mirror/read-reconciliation.ts';
import { transfersNow } from '../../mirror/transfers-now.ts';
import { hasWriter } from '../../mirror/write-lock.ts';
import type { BooksReply } from '../schema/books.ts';
import { formatUnits } from '../../domain/money.ts';
import { english, sentenceFacts } from '../../language/sentence.ts';

interface LedgerNow {
  readonly budgets: readonly BudgetItem[];
  readonly lockouts: readonly LockoutItem[];
}

/** Returns the ledger rows' data about the bot that they count. */
export function ledgerNow(rows: readonly BudgetReport[], nowMs: number): LedgerNow {
  return {
    budgets: rows.map((row) => budgetItem(row)),
    lockouts: rows
      .filter(({ lockedForMs, isOnTrial }) => isOnTrial || (lockedForMs ?? 0) > 0)
      .map(({ budget, lockedForMs, isOnTrial }) => ({
        budget,
        endsAtMs: lockedForMs === null ? null : Math.floor(nowMs + lockedForMs),
        isOnTrial,
      })),
  };
}

function budgetItem(row: BudgetReport): BudgetItem {
  return {
    subject: row.subject === 'ip' || row.subject === 'this-address' ? 'address' : 'account',
    budget: row.budget,
    limit: row.limit,
    ownLimit: row.ownLimit,
    isAssumed: row.assumed,
    windowMs: row.windowMs,
    inUse: row.inUse,
    onTheWay: row.onTheWay,
    reserve: row.reserve,
    fullForMs: row.fullForMs,
    lockedForMs: row.lockedForMs,
    isOnTrial: row.isOnTrial,
    stoppedForMs: row.stoppedForMs,
  };
}

export function budgetsReplyOf(of: {
  /** Of the bot's own budgets; none where its exchange is in the bot itself. */
  readonly rows: readonly BudgetReport[];
  readonly nowMs: number;
  readonly strategies: readonly StrategyItem[];
  readonly overTime: readonly SeriesItem[];
}): BudgetsReply {
  const { budgets, lockouts } = ledgerNow(of.rows, of.nowMs);
  return {
    asOfMs: of.nowMs,
    budgets: [...budgets],
    overTime: [...of.overTime],
    lockouts: [...lockouts],
    strategies: of.strategies.map(({ name, requests, orders, fills }) => ({
      strategy: name,
      requests,
      orders,
      fills,
      requestsPerFill: fills === 0 ? null : requests / fills,
    })),
  };
}

export function booksReplyOf(reader: MirrorReader): BooksReply {
  const report = readReconciliation(reader);
  const { books, findings, differences, unknownTransfers: _unknown, ...state } = report;
  return {
    ...state,
    why: english(state.why),
    blockedBy: english(state.blockedBy),
    whyFacts: sentenceFacts(state.why),
    blockedByFacts: sentenceFacts(state.blockedBy),
    differences: differences.map(({ currency, expected, found, difference }) => ({
      currency,
      expected,
      found,
      difference,
    })),
    findings: findings.map(({ subject, field, expected, found, sinceMs, isGrave }) => ({
      subject,
      field,
      expected,
      found,
      sinceMs,
      isGrave,
    })),
    transfers: transfersNow(reader.stored(), hasWriter(reader.path)).map((transfer) => ({ ...transfer })),
    balances: reader.balances().map(({ currency, total, held, seenAtMs }) => ({
      currency,
      total: formatUnits(total),
      held: formatUnits(held),
      expected: books[currency] ?? null,
      seenAtMs,
    })),
  };
}
