import { unitsOf } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { BookOrder, BookSide } from '../../simulator/matching-book.ts';
import type { SpotRules } from './market-rules.ts';
import type { SpotUserSettings, STP_MODES } from './settings.ts';
import { SpotTape } from './tape.ts';

// Orders, lists, accounts and markets: the state that the engine changes. They refer to each other.

export const SPOT_ORDER_TYPES = [
  'LIMIT',
  'LIMIT_MAKER',
  'MARKET',
  'STOP_LOSS',
  'STOP_LOSS_LIMIT',
  'TAKE_PROFIT',
  'TAKE_PROFIT_LIMIT',
] as const;

export type SpotOrderType = (typeof SPOT_ORDER_TYPES)[number];
export type TimeInForce = 'GTC' | 'IOC' | 'FOK';
export type StpMode = (typeof STP_MODES)[number];
type SpotStatus =
  | 'NEW'
  | 'PENDING_NEW'
  | 'PARTIALLY_FILLED'
  | 'FILLED'
  | 'CANCELED'
  | 'EXPIRED'
  | 'EXPIRED_IN_MATCH'
  | 'REJECTED';
type ExpiryReason =
  | 'EXCHANGE_CANCELED'
  | 'OCO_TRIGGER'
  | 'OTO_PHASE_ONE_EXPIRED'
  | 'UNFILLED_IOC_QUANTITY_EXPIRED'
  | 'UNFILLED_FOK_ORDER_EXPIRED'
  | 'INSUFFICIENT_LIQUIDITY'
  | 'REJECTED';

/** Order as an account asks for it, checked and in steps of its market. */
export interface SpotOrderRequest {
  readonly side: Side;
  readonly type: SpotOrderType;
  readonly timeInForce: TimeInForce;
  /** In steps; 0 if the amount is given by `quoteOrderQty`. */
  readonly quantity: number;
  /** In ticks; 0 for none. */
  readonly price: number;
  readonly stopPrice: number;
  /** In hundredths of a percent; 0 for none. */
  readonly trailingDelta: number;
  /** In steps; 0 for none. */
  readonly icebergQty: number;
  /** In units; 0 for none. */
  readonly quoteOrderQty: bigint;
  readonly clientOrderId: string;
  readonly stpMode: StpMode;
  readonly strategyId: number | null;
  readonly strategyType: number | null;
}

/** Self trade that was prevented, as the placement of its taker shows it. */
export interface PreventedMatch {
  readonly preventedMatchId: number;
  readonly makerOrderId: number;
  readonly price: string;
  readonly takerPreventedQuantity?: string;
  readonly makerPreventedQuantity?: string;
}

/** Fill of one order, as `fills` and `myTrades` show it. */
export interface SpotFill {
  readonly order: SpotOrder;
  readonly tradeId: number;
  readonly price: number;
  readonly quantity: number;
  readonly value: bigint;
  readonly commission: bigint;
  readonly commissionAsset: string;
  readonly isMaker: boolean;
  readonly timeMs: number;
}

const isStop = (type: SpotOrderType): boolean => type.startsWith('STOP_') || type.startsWith('TAKE_');
export const isLimitType = (type: SpotOrderType): boolean =>
  type.startsWith('LIMIT') || type.endsWith('_LIMIT');

/** Changes of an order that reads can be behind. */
const VERSIONS_RETAINED = 8;

/** Order of an account, or of the outside world, whose account is null. */
export class SpotOrder extends BookOrder {
  readonly market: SpotMarket;
  readonly account: SpotAccount | null;
  readonly request: SpotOrderRequest;
  readonly createdMs: number;
  clientOrderId: string;
  /** Client ids by which it is found. */
  readonly knownIds: string[] = [];
  /** Client id of its cancel; null if it was not canceled. */
  cancelId: string | null = null;
  list: SpotOrderList | null = null;
  status: SpotStatus = 'NEW';
  expiryReason: ExpiryReason | null = null;
  /** In steps. */
  quantity: number;
  filled = 0;
  prevented = 0;
  /** Part of an iceberg that does not show, in steps. */
  hidden = 0;
  filledValue = 0n;
  /** Money that it holds: quote asset of a purchase, base asset of a sale. */
  hold = 0n;
  updatedMs: number;
  /** Time at which it entered the book; null for an order that waits. */
  workingMs: number | null = null;
  /** Lowest or highest price since tracking began, in ticks; null before. */
  extreme: number | null = null;
  trackingMs: number | null = null;
  preventedMatchId: number | null = null;
  preventedMatches: PreventedMatch[] = [];
  amends = 0;
  /** Copies of it after each change, newest last, for reads that are behind; empty if there are none such. */
  readonly versions: SpotOrder[] = [];

  constructor(of: {
    readonly id: number;
    readonly market: SpotMarket;
    readonly account: SpotAccount | null;
    readonly request: SpotOrderRequest;
    readonly timeMs: number;
  }) {
    super(of.id, of.request.side, of.request.price, of.request.quantity);
    this.market = of.market;
    this.account = of.account;
    this.request = of.request;
    this.quantity = of.request.quantity;
    this.clientOrderId = of.request.clientOrderId;
    this.createdMs = of.timeMs;
    this.updatedMs = of.timeMs;
  }

  get isOpen(): boolean {
    return this.status === 'NEW' || this.status === 'PARTIALLY_FILLED' || this.status === 'PENDING_NEW';
  }

  /** True for the four types that wait for a price, also after it. */
  get isStop(): boolean {
    return isStop(this.request.type);
  }

  /** Amount that can still trade, in steps. */
  get rest(): number {
    return this.quantity - this.filled - this.prevented;
  }

  /** Records a change of it. */
  changed(timeMs: number, isRecorded: boolean): void {
    this.updatedMs = timeMs;
    if (!isRecorded || this.account === null) return;
    this.versions.push(Object.assign(Object.create(SpotOrder.prototype) as SpotOrder, this));
    if (this.versions.length > VERSIONS_RETAINED) this.versions.shift();
  }

  /** Returns it as it was at a time; null if it was not there. */
  asOf(timeMs: number): SpotOrder | null {
    return this.versions.findLast(({ updatedMs }) => updatedMs <= timeMs) ?? null;
  }
}

/** Orders that depend on each other: OCO, OTO, and OTOCO, which is an OTO with two pending orders. */
export class SpotOrderList {
  readonly id: number;
  readonly account: SpotAccount;
  readonly market: SpotMarket;
  readonly contingencyType: 'OCO' | 'OTO';
  readonly clientId: string;
  readonly createdMs: number;
  readonly orders: SpotOrder[] = [];
  /** Order that must fill before the others are placed; null for an OCO. */
  working: SpotOrder | null = null;

  constructor(of: {
    readonly id: number;
    readonly account: SpotAccount;
    readonly market: SpotMarket;
    readonly contingencyType: 'OCO' | 'OTO';
    readonly clientId: string;
    readonly timeMs: number;
  }) {
    this.id = of.id;
    this.account = of.account;
    this.market = of.market;
    this.contingencyType = of.contingencyType;
    this.clientId = of.clientId;
    this.createdMs = of.timeMs;
  }

  get isOpen(): boolean {
    return this.orders.some((order) => order.isOpen);
  }

  /** Orders of which one ends when another one trades: both of an OCO, the pending ones of an OTOCO. */
  rivals(order: SpotOrder): readonly SpotOrder[] {
    if (order === this.working) return [];
    return this.orders.filter((each) => each !== order && each !== this.working && each.isOpen);
  }

  /** Open orders besides one. */
  others(order: SpotOrder): readonly SpotOrder[] {
    return this.orders.filter((each) => each !== order && each.isOpen);
  }
}

/** Money of one asset, in units. */
export interface SpotWallet {
  free: bigint;
  locked: bigint;
}

/** Orders and fills of an account on one symbol, oldest first. */
class SymbolHistory {
  readonly orders: SpotOrder[] = [];
  readonly fills: SpotFill[] = [];
  readonly byId = new Map<number, SpotOrder>();
  /** Orders of each client id, newest last. */
  readonly byClientId = new Map<string, SpotOrder[]>();
}

/** One account: its money, its orders and fills. */
export class SpotAccount {
  readonly settings: SpotUserSettings;
  /** True if a query shows the id of its cancel as the id of a canceled order. */
  readonly showsCancelId: boolean;
  private readonly rowsRetained: number;
  readonly wallets = new Map<string, SpotWallet>();
  readonly open = new Set<SpotOrder>();
  readonly lists: SpotOrderList[] = [];
  updatedMs: number;
  private readonly histories = new Map<string, SymbolHistory>();

  constructor(
    settings: SpotUserSettings,
    of: { readonly timeMs: number; readonly showsCancelId: boolean; readonly rowsRetained: number },
  ) {
    this.settings = settings;
    this.updatedMs = of.timeMs;
    this.showsCancelId = of.showsCancelId;
    this.rowsRetained = of.rowsRetained;
    for (const [asset, amount] of Object.entries(settings.balances))
      this.wallets.set(asset, { free: unitsOf(amount), locked: 0n });
  }

  wallet(asset: string): SpotWallet {
    const known = this.wallets.get(asset);
    if (known !== undefined) return known;
    const wallet = { free: 0n, locked: 0n };
    this.wallets.set(asset, wallet);
    return wallet;
  }

  history(symbol: string): SymbolHistory {
    const known = this.histories.get(symbol);
    if (known !== undefined) return known;
    const history = new SymbolHistory();
    this.histories.set(symbol, history);
    return history;
  }

  add(order: SpotOrder): void {
    const history = this.history(order.market.rules.symbol);
    history.orders.push(order);
    history.byId.set(order.id, order);
    this.addClientId(order);
    if (order.isOpen) this.open.add(order);
    if (history.orders.length <= this.rowsRetained) return;
    const index = history.orders.findIndex((each) => !each.isOpen);
    const [dropped] = history.orders.splice(Math.max(index, 0), 1);
    if (dropped === undefined) return;
    history.byId.delete(dropped.id);
    for (const id of dropped.knownIds) {
      const same = (history.byClientId.get(id) ?? []).filter((each) => each !== dropped);
      if (same.length === 0) history.byClientId.delete(id);
      else history.byClientId.set(id, same);
    }
  }

  /** Makes an order known by its present client id. */
  addClientId(order: SpotOrder, id = order.clientOrderId): void {
    const { byClientId } = this.history(order.market.rules.symbol);
    const same = byClientId.get(id) ?? [];
    order.knownIds.push(id);
    same.push(order);
    byClientId.set(id, same);
  }

  addFill(fill: SpotFill): void {
    const { fills } = this.history(fill.order.market.rules.symbol);
    fills.push(fill);
    if (fills.length > this.rowsRetained) fills.shift();
    this.updatedMs = fill.timeMs;
  }

  addList(list: SpotOrderList): void {
    this.lists.push(list);
    if (this.lists.length > this.rowsRetained) this.lists.shift();
  }

  openOrders(symbol?: string): SpotOrder[] {
    return [...this.open]
      .filter((order) => symbol === undefined || order.market.rules.symbol === symbol)
      .toSorted((one, other) => one.createdMs - other.createdMs || one.id - other.id);
  }

  /** Returns the newest order of a client id, an open one before a closed one. */
  byClientId(symbol: string, id: string): SpotOrder | undefined {
    const same = this.history(symbol).byClientId.get(id) ?? [];
    return same.findLast((order) => order.isOpen) ?? same.at(-1);
  }

  /** True if two accounts are one for self-trade prevention. */
  isSameTrader(other: SpotAccount): boolean {
    return (
      other === this ||
      (this.settings.tradeGroupId !== -1 && this.settings.tradeGroupId === other.settings.tradeGroupId)
    );
  }
}

/** Self trade that was prevented, as `myPreventedMatches` finds it. */
export interface PreventedRecord extends PreventedMatch {
  readonly taker: SpotOrder;
  readonly maker: SpotOrder;
  readonly timeMs: number;
}

/** Reduction of an order that kept its place, as `order/amendments` shows it. */
export interface Amendment {
  readonly order: SpotOrder;
  readonly executionId: number;
  readonly formerId: string;
  readonly newId: string;
  readonly formerQuantity: number;
  readonly newQuantity: number;
  readonly timeMs: number;
}

const RECORDS_RETAINED = 10_000;

/** One market: its book, its trades, and the orders that wait for a price. */
export class SpotMarket extends SpotTape {
  status: SpotRules['settings']['status'];
  readonly buys = new BookSide('buy');
  readonly sells = new BookSide('sell');
  /** Orders that wait for a price, oldest first. */
  readonly stops = new Set<SpotOrder>();
  readonly prevented: PreventedRecord[] = [];
  readonly amendments: Amendment[] = [];
  /** Number of changes of the book. */
  updateId = 71_000_000;
  private nextOrder: number;
  private executions = 0;

  constructor(rules: SpotRules) {
    super(rules);
    this.status = rules.settings.status;
    this.nextOrder = rules.settings.firstOrderId;
  }

  side(side: Side): BookSide {
    return side === 'buy' ? this.buys : this.sells;
  }

  nextOrderId(): number {
    this.nextOrder += 1;
    return this.nextOrder - 1;
  }

  nextExecutionId(): number {
    this.executions += 1;
    return this.executions;
  }

  addPrevented(record: Omit<PreventedRecord, 'preventedMatchId'>): PreventedRecord {
    const made = { preventedMatchId: (this.prevented.at(-1)?.preventedMatchId ?? 0) + 1, ...record };
    this.prevented.push(made);
    if (this.prevented.length > RECORDS_RETAINED) this.prevented.shift();
    return made;
  }

  addAmendment(amendment: Amendment): void {
    this.amendments.push(amendment);
    if (this.amendments.length > RECORDS_RETAINED) this.amendments.shift();
  }
}
