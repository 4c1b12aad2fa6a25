import { formatUnits } from '../domain/money.ts';
import type { StrategyRecord } from '../records/rows.ts';
import { profitText, type ProfitText } from '../engine/profit-of-instance.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import type { Lock } from '../engine/lock.ts';
import { profitOf } from '../portfolio/profit.ts';
import type { LastPrices } from './last-prices.ts';
import { pauseText } from './locks-now.ts';
import type { Sentence } from '../language/sentence.ts';

/** Profit and fees of a strategy, as stored in the mirror; decimals as texts. */
interface StrategyFigures extends ProfitText {
  readonly fees: Readonly<Record<string, string>>;
  readonly orders: number;
  readonly fills: number;
  readonly requests: number;
}

/** A strategy for `sarraf status`. */
export interface StrategyStatus {
  readonly name: string;
  /** As the bot wrote it down, but that nothing runs where no bot does. */
  readonly status: StrategyRecord['status'] | 'paused by hand' | 'not running' | 'unknown';
  readonly reason: Sentence | null;
  /** Time of the last write of its row, in ms since 1970. */
  readonly atMs: number;
  readonly figures: StrategyFigures;
  /** The strategy's own state. */
  readonly state: unknown;
}

/**
 * Reads a strategy's row. `isRunning`: whether a bot has the mirror open; null where that is not known.
 * `pause`: the lock by which a person has paused it. `prices`: those that were read since the row was
 * written; without them its own count. Throws `DATA_UNUSABLE` for a damaged row.
 */
export function strategyStatus(
  record: StrategyRecord,
  isRunning: boolean | null,
  { pause, prices }: { readonly pause?: Lock | undefined; readonly prices?: LastPrices } = {},
): StrategyStatus {
  const { name, atMs } = record;
  // One that has failed does not go on when its pause ends.
  const isPaused = record.status === 'running' && pause !== undefined;
  const status = record.status === 'running' ? statusWhile(isRunning) : record.status;
  const reason = isPaused ? pauseText(pause) : record.reason;
  const { ledger, fees, orders, fills, requests, state } = readFigures(record, MARKET_NAMES);
  const paid = Object.fromEntries([...fees].map(([currency, units]) => [currency, formatUnits(units)]));
  const made = profitText(profitOf(ledger, prices?.beyond(ledger)));
  const figures = { ...made, fees: paid, orders, fills, requests };
  return { name, status: isPaused ? 'paused by hand' : status, reason, atMs, figures, state };
}

function statusWhile(isRunning: boolean | null): StrategyStatus['status'] {
  if (isRunning === null) return 'unknown';
  return isRunning ? 'running' : 'not running';
}
