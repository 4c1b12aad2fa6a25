import type { BacktestRun } from '../backtest-run.ts';
import { finishRun, type FinishedRun } from './finish-run.ts';
import type { BacktestResult } from './result-schema.ts';
import { FILL_TABLE, LOCK_TABLE, MEMBER_TABLE, ORDER_TABLE, TRIP_TABLE } from './result-tables.ts';

/**
 * The result of a run as an object. Its tables are made when they are first asked for: most programs that run
 * many backtests look at the summaries alone.
 */
export function createResult(run: BacktestRun, createdAtMs: number = Date.now()): BacktestResult {
  return resultOf(finishRun(run, createdAtMs));
}

function resultOf({ run: { orders, fills, locks, members }, head, trips }: FinishedRun): BacktestResult {
  const tradeColumns = once(() => TRIP_TABLE.columns(trips));
  const orderColumns = once(() => ORDER_TABLE.columns(orders));
  const fillColumns = once(() => FILL_TABLE.columns(fills));
  const lockColumns = once(() => LOCK_TABLE.columns(locks.records));
  const memberColumns = once(() => MEMBER_TABLE.columns(members.records));
  return {
    ...head,
    get trades() {
      return tradeColumns();
    },
    get orders() {
      return orderColumns();
    },
    get fills() {
      return fillColumns();
    },
    get lockSpans() {
      return lockColumns();
    },
    get members() {
      return memberColumns();
    },
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
