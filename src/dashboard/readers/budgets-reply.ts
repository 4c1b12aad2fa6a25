import { readLedger, type BudgetReport } from '../../budget/ledger-report.ts';
import { monotonicMs } from '../../budget/process-owner.ts';
import { readLedgerNote } from '../../daemon/ledger-note.ts';
import type { BudgetItem, BudgetsReply } from '../schema/budget.ts';
import type { LockoutItem, StrategyItem } from '../schema/overview.ts';
import type { SeriesItem } from '../schema/series.ts';

interface LedgerNow {
  readonly budgets: readonly BudgetItem[];
  readonly lockouts: readonly LockoutItem[];
}

const NOTHING: LedgerNow = { budgets: [], lockouts: [] };

/**
 * What the shared ledger has of the bot of a data folder. Nothing where its exchange is in the bot itself, or
 * the ledger can not be read now: the rest of a page can be shown all the same.
 */
export function ledgerNow(dataFolder: string, nowMs: number): LedgerNow {
  const note = readLedgerNote(dataFolder);
  if (note === null) return NOTHING;
  const subjects = new Set(note.subjects);
  let rows: readonly BudgetReport[];
  try {
    rows = readLedger(note.ledger, monotonicMs()).filter(({ subject }) => subjects.has(subject));
  } catch {
    return NOTHING;
  }
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
  readonly dataFolder: string;
  readonly nowMs: number;
  readonly strategies: readonly StrategyItem[];
  readonly overTime: readonly SeriesItem[];
}): BudgetsReply {
  const { budgets, lockouts } = ledgerNow(of.dataFolder, of.nowMs);
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
