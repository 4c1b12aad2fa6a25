import type { BotView, ChatView } from '../../../../src/alerts/chat/chat-update.ts';
import { NOON_MS } from '../core/snapshot-fixture.ts';

const grid: BotView['strategies'][number] = {
  name: 'grid',
  status: 'running',
  reason: null,
  currency: 'rls',
  profit: '120000',
  realised: null,
  positions: { btc: '0.5', eth: '0' },
};

/** Makes a bot with its chat settings, as the chat commands see it. */
export function botSeen(over: Partial<BotView> = {}, view: Partial<ChatView> = {}): ChatView {
  return {
    bot: {
      halt: null,
      noOrders: null,
      books: 'agreed',
      strategies: [grid, { ...grid, name: 'dip', status: 'pausedByHand', reason: '*news*', positions: {} }],
      orders: [
        {
          strategy: 'grid',
          market: 'BTCIRT',
          quote: 'rls',
          side: 'sell',
          amount: '0.1',
          price: '60000000000',
        },
      ],
      openOrders: 1,
      decisions: [
        {
          strategy: 'grid',
          atMs: NOON_MS,
          kind: 'order',
          market: 'BTCIRT',
          status: 'refused',
          reason: 'over the limit',
        },
      ],
      approvals: [],
      locks: [{ name: 'night', of: null, reason: 'hours', endsAtMs: NOON_MS }],
      ...over,
    },
    fault: null,
    lastSignMs: NOON_MS,
    isSilent: false,
    openAlerts: [],
    mutedUntilMs: 0,
    strangers: 0,
    waitsFor: null,
    haltWait: null,
    budgets: [
      { budget: 'orders/add', used: 3, limit: 60, isLockedOut: false },
      { budget: 'orders/list', used: 0, limit: 60, isLockedOut: true },
    ],
    ...view,
  };
}
