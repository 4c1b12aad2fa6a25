import type { BacktestRun } from '../backtest-run.ts';
import { finishRun, type FinishedRun } from './finish-run.ts';
import { FILL_ROWS, ORDER_ROWS, TRIP_ROWS } from './result-rows.ts';
import type { BacktestResult } from './result-schema.ts';

/**
 * The result of a run as an object. Its long lists are made when they are first asked for: most programs that
 * run many backtests look at the summaries alone.
 */
export function createResult(run: BacktestRun, createdAtMs: number = Date.now()): BacktestResult {
  return resultOf(finishRun(run, createdAtMs));
}

function resultOf({ run: { orders, fills }, head, trips }: FinishedRun): BacktestResult {
  const tradeRows = once(() => TRIP_ROWS.rows(trips));
  const orderRows = once(() => ORDER_ROWS.rows(orders));
  const fillRows = once(() => FILL_ROWS.rows(fills));
  return {
    ...head,
    get trades() {
      return tradeRows();
    },
    get orders() {
      return orderRows();
    },
    get fills() {
      return fillRows();
    },
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
