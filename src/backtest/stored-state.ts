import { EMPTY_MIRROR_STATE, type MirrorChange, type MirrorState } from '../engine/mirror-change.ts';
import type { IntentRecord } from '../records/rows.ts';
import { isPlaceholder } from '../records/fill.ts';
import { isFinal, type OrderRecord } from '../records/order.ts';

/** Greatest age of closed orders that a restart receives, in ms. */
const RECENT_MS = 900_000;

/** State in memory, equal to what a mirror on disk would give to a restarted bot. */
export class StoredState {
  readonly intents = new Map<string, IntentRecord>();
  private base: MirrorState;
  private readonly orders = new Map<string, MirrorState['orders'][number]>();
  private readonly fills = new Map<string, MirrorState['fills'][number]>();
  private readonly algorithms = new Map<string, MirrorState['algorithms'][number]>();
  private readonly strategies = new Map<string, MirrorState['strategies'][number]>();
  private readonly markets = new Map<string, MirrorState['markets'][number]>();
  private readonly pieces = new Map<string, string>();

  constructor(epoch: string) {
    this.base = { ...EMPTY_MIRROR_STATE, epoch };
  }

  /** All state stored so far, in the order in which each item first came. */
  get state(): MirrorState {
    return {
      ...this.base,
      orders: [...this.orders.values()],
      fills: [...this.fills.values()],
      algorithms: [...this.algorithms.values()],
      strategies: [...this.strategies.values()],
      markets: [...this.markets.values()],
      stored: Object.fromEntries(this.pieces),
    };
  }

  set state(state: MirrorState) {
    this.base = state;
    refill(this.orders, state.orders, ({ key }) => key);
    refill(this.fills, state.fills, nameOfFill);
    refill(this.algorithms, state.algorithms, ({ intentId }) => intentId);
    refill(this.strategies, state.strategies, ({ name }) => name);
    refill(this.markets, state.markets, nameOfMarket);
    this.pieces.clear();
    for (const [name, json] of Object.entries(state.stored)) this.pieces.set(name, json);
  }

  /** Returns the state for a bot that starts at `nowMs`. */
  load(nowMs: number): MirrorState {
    const { state } = this;
    const atWork = new Set(state.algorithms.map(({ intentId }) => intentId));
    const awaited = new Set(state.fills.filter(isPlaceholder).map(({ orderKey }) => orderKey));
    const isLoaded = (order: OrderRecord): boolean =>
      !isFinal(order) ||
      awaited.has(order.key) ||
      (order.closedAtMs ?? nowMs) >= nowMs - RECENT_MS ||
      (order.state === 'rejected' && order.attempts > 0) ||
      atWork.has(order.intentId);
    const intents = [...this.intents.values()].filter(({ status }) => status === 'working');
    return { ...state, orders: state.orders.filter(isLoaded), intents };
  }

  apply(change: MirrorChange): void {
    switch (change.kind) {
      case 'order':
        this.orders.set(change.order.key, change.order);
        break;
      case 'fill':
        this.fills.set(nameOfFill(change.fill), change.fill);
        break;
      case 'fill-gone':
        this.fills.delete(nameOfFill(change.fill));
        break;
      case 'algorithm':
        this.algorithms.set(change.algorithm.intentId, change.algorithm);
        break;
      case 'algorithm-end':
        this.algorithms.delete(change.intentId);
        break;
      case 'strategy':
        this.strategies.set(change.strategy.name, change.strategy);
        break;
      case 'market':
        this.markets.set(nameOfMarket(change.market), change.market);
        break;
      case 'kept':
        this.pieces.set(change.name, change.json);
        break;
      case 'intent':
        this.intents.set(change.intent.id, change.intent);
        break;
      // Market data and wallets are read again at every start; the rest is for people.
      case 'journal':
      case 'position-move':
      case 'note':
      case 'note-end':
      case 'figure':
      case 'reply':
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

const nameOfFill = ({ tradeId, venueOrderId, side }: MirrorState['fills'][number]): string =>
  `${tradeId} ${venueOrderId} ${side}`;

const nameOfMarket = ({ symbol, version }: MirrorState['markets'][number]): string => `${symbol} ${version}`;

function refill<Row>(rows: Map<string, Row>, wanted: readonly Row[], nameOf: (row: Row) => string): void {
  rows.clear();
  for (const row of wanted) rows.set(nameOf(row), row);
}
