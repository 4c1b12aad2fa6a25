import {
  EMPTY_MIRROR_STATE,
  type IntentRecord,
  type MirrorChange,
  type MirrorState,
} from '../../engine/mirror-change.ts';
import { isFinal, type OrderRecord } from '../../execution/order-record.ts';

/** Closed orders that a restart is given back, by their age in ms. */
const RECENT_MS = 900_000;

/** What a mirror on the disk would give back to a bot that begins again, in memory. */
export class KeptState {
  readonly intents = new Map<string, IntentRecord>();
  state: MirrorState;

  constructor(epoch: string) {
    this.state = { ...EMPTY_MIRROR_STATE, epoch };
  }

  /** What a bot that begins at `nowMs` gets. */
  load(nowMs: number): MirrorState {
    const { orders, algorithms } = this.state;
    const atWork = new Set(algorithms.map(({ intentId }) => intentId));
    const isLoaded = (order: OrderRecord): boolean =>
      !isFinal(order) ||
      (order.closedAtMs ?? nowMs) >= nowMs - RECENT_MS ||
      (order.state === 'rejected' && order.attempts > 0) ||
      atWork.has(order.intentId);
    const intents = [...this.intents.values()].filter(({ status }) => status === 'working');
    return { ...this.state, orders: orders.filter(isLoaded), intents };
  }

  take(change: MirrorChange): void {
    const { state } = this;
    switch (change.kind) {
      case 'order':
        this.state = { ...state, orders: put(state.orders, change.order, ({ key }) => key) };
        break;
      case 'fill': {
        const nameOf = (fill: typeof change.fill): string =>
          `${fill.tradeId} ${fill.venueOrderId} ${fill.side}`;
        this.state = { ...state, fills: put(state.fills, change.fill, nameOf) };
        break;
      }
      case 'algorithm':
        this.state = {
          ...state,
          algorithms: put(state.algorithms, change.algorithm, ({ intentId }) => intentId),
        };
        break;
      case 'algorithm-end':
        this.state = {
          ...state,
          algorithms: state.algorithms.filter(({ intentId }) => intentId !== change.intentId),
        };
        break;
      case 'strategy':
        this.state = { ...state, strategies: put(state.strategies, change.strategy, ({ name }) => name) };
        break;
      case 'market': {
        const nameOf = (market: typeof change.market): string => `${market.symbol} ${market.version}`;
        this.state = { ...state, markets: put(state.markets, change.market, nameOf) };
        break;
      }
      case 'kept':
        this.state = { ...state, kept: { ...state.kept, [change.name]: change.json } };
        break;
      case 'intent':
        this.intents.set(change.intent.id, change.intent);
        break;
      // What was seen of the market and the wallets is read anew by every start; the journal is for people.
      case 'journal':
      case 'wallet':
      case 'transaction':
      case 'book':
      case 'stats':
      case 'candle':
      case 'public-trades':
        break;
    }
  }
}

function put<Row>(rows: readonly Row[], row: Row, nameOf: (row: Row) => string): readonly Row[] {
  const name = nameOf(row);
  const index = rows.findIndex((other) => nameOf(other) === name);
  return index === -1 ? [...rows, row] : rows.with(index, row);
}
