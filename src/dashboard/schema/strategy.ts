import { z } from 'zod';
import { orderItem, intentItem } from './order.ts';
import { lockItem } from './lock.ts';
import { logItem } from './log.ts';
import { positionItem, strategyItem } from './overview.ts';
import { seriesItem } from './series.ts';
import { signalItem } from './signal.ts';

export const strategyReply = z.object({
  strategy: strategyItem,
  state: z.unknown().describe('The state of the strategy itself.'),
  positions: z.array(positionItem),
  openOrders: z.array(orderItem).describe('The newest 100.'),
  intents: z.array(intentItem).describe('The newest 50.'),
  signals: z.array(signalItem).describe('The newest 50 that came to it.'),
  log: z.array(logItem).describe('Its last 50 lines, newest first.'),
  locks: z.array(lockItem),
  profit: z.array(seriesItem),
});

export type StrategyReply = z.output<typeof strategyReply>;
