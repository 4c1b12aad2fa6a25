import { sentence } from '../../language/sentence.ts';
import { locksNow } from '../../mirror/locks-now.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { strategyStatus } from '../../mirror/strategy-status.ts';
import type { RunNote } from '../../daemon/run-record.ts';
import { ApiError } from '../api-error.ts';
import type { StrategyReply } from '../schema/strategy.ts';
import { logItemOf } from './log-items.ts';
import { intentItemOf, lockItemOf, orderItemOf } from './row-items.ts';
import { allSeriesOf } from './series-items.ts';
import { signalItemOf } from './signal-items.ts';
import { positionItems, strategyItems } from './strategy-items.ts';

const MOST_ORDERS = 100;
const MOST_LINES = 50;

/** One strategy. Throws `ApiError` where there is none of that name. */
export function strategyReplyOf(
  reader: MirrorReader,
  of: { readonly name: string; readonly note: RunNote | null; readonly nowMs: number },
): StrategyReply {
  const { name, note, nowMs } = of;
  const strategy = strategyItems(reader, { note, nowMs }).find((item) => item.name === name);
  const record = reader.strategies().find((row) => row.name === name);
  if (strategy === undefined || record === undefined)
    throw new ApiError('not-found', sentence('not-our-strategy', { found: JSON.stringify(name) }));
  const open = reader.orders({ state: 'open', strategy: name, market: null, last: MOST_ORDERS });
  const first = { strategy: name, before: null, limit: MOST_LINES } as const;
  return {
    strategy,
    state: strategyStatus(record, null).state,
    positions: positionItems(reader, open).filter((position) => position.strategy === name),
    openOrders: open.map((order) => orderItemOf(order)),
    intents: reader.pages
      .intents({ ...first, market: null, status: 'all' })
      .rows.map((intent) => intentItemOf(intent)),
    signals: reader.pages.signals(first).rows.map((line) => signalItemOf(line)),
    log: reader.pages.log({ ...first, level: 0 }).rows.map((line) => logItemOf(line)),
    locks: locksNow(reader.kept(), nowMs)
      .locks.filter((lock) => lock.strategy === null || lock.strategy === name)
      .map((lock) => lockItemOf(lock)),
    profit: [...allSeriesOf(reader, `profit/${name}/`, {})],
  };
}
