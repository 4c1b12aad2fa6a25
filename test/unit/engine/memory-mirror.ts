import {
  EMPTY_MIRROR_STATE,
  type IntentRecord,
  type JournalEntry,
  type MirrorChange,
  type MirrorState,
} from '../../../src/engine/mirror-change.ts';
import { isFinal, type OrderRecord } from '../../../src/execution/order-record.ts';

/** Closed orders that a restart is given back. */
const RECENT_MS = 900_000;

/**
 * What a mirror would have kept, in memory. What was not durable is lost by `crash`, as the mirror's own is.
 */
export class MemoryMirror {
  readonly journal: JournalEntry[] = [];
  readonly intents = new Map<string, IntentRecord>();
  private state: MirrorState = { ...EMPTY_MIRROR_STATE, epoch: 'e001' };
  private pending: MirrorChange[] = [];

  apply(changes: readonly MirrorChange[], isDurable: boolean): void {
    this.pending.push(...changes);
    if (!isDurable) return;
    this.flush();
  }

  flush(): void {
    for (const change of this.pending) this.write(change);
    this.pending = [];
  }

  crash(): void {
    this.pending = [];
  }

  /** What a backup has. */
  copy(): MirrorState {
    this.flush();
    return this.state;
  }

  /** A copy takes its place, which gives it another mark. */
  putBack(copy: MirrorState, epoch: string): void {
    this.pending = [];
    this.state = { ...copy, epoch };
  }

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

  private write(change: MirrorChange): void {
    const { state } = this;
    switch (change.kind) {
      case 'journal':
        this.journal.push(change.entry);
        break;
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
      // What was seen of the market and the wallets is read anew by every start.
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
