import { expect } from 'vitest';
import { z } from 'zod';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../src/domain/market.ts';
import type { MarketStats } from '../../../src/domain/order-book.ts';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import type { VenueOrder, VenueOrderId } from '../../../src/domain/order.ts';
import type {
  Effect,
  UnreadRow,
  VenueAnswer,
  VenueCall,
  VenueCallKind,
  WalletTransaction,
} from '../../../src/venues/port.ts';
import type {
  EngineNotice,
  EngineOutput,
  EngineRequest,
  ControlCommand,
} from '../../../src/engine/engine-event.ts';
import {
  DEFAULT_ENGINE_TIMES,
  DEFAULT_RECONCILIATION,
  type EngineSettings,
  type StrategyInstanceSettings,
} from '../../../src/engine/engine-settings.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { readRecord } from '../../../src/engine/stored-records.ts';
import type { FillRecord } from '../../../src/records/fill.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import type { PlannedFeed } from '../../../src/scheduler/feed.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import type { BracketWish, Intent } from '../../../src/strategy/intents.ts';
import { bracket, buy } from '../../support/intents.ts';
import { issue } from '../../support/issue.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { ScriptedVenue } from './scripted-venue.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { StoredState } from '../../../src/backtest/stored-state.ts';
import type {
  FigureRecord,
  JournalEntry,
  MirrorChange,
  MirrorState,
  ReplyRecord,
} from '../../../src/engine/mirror-change.ts';
import type { IntentRecord, NoteRecord } from '../../../src/records/rows.ts';
import { emptyStats } from '../../support/recorded-rows.ts';
import { instanceOf, runnerOn } from '../../support/runner-on.ts';

/** A mirror in memory. `crash` drops all changes that were not durable, as on disk. */
class MemoryMirror {
  readonly journal: JournalEntry[] = [];
  /** Wallet lines, in the order in which they were written. */
  readonly lines: WalletTransaction[] = [];
  /** Values of series, in the order in which they were written. */
  readonly figures: FigureRecord[] = [];
  /** Notes of people, and the purchases whose note was removed. */
  readonly notes: (NoteRecord | string)[] = [];
  /** Stored replies about orders: one for each order, step, and whether the reply could be used. */
  readonly replies = new Map<string, ReplyRecord>();
  private readonly kept = new StoredState('e001');
  private pending: MirrorChange[] = [];

  get intents(): ReadonlyMap<string, IntentRecord> {
    return this.kept.intents;
  }

  apply(changes: readonly MirrorChange[], isDurable: boolean): void {
    this.pending.push(...changes);
    if (!isDurable) return;
    this.flush();
  }

  flush(): void {
    for (const change of this.pending) {
      if (change.kind === 'journal') this.journal.push(change.entry);
      if (change.kind === 'transaction') this.lines.push(change.transaction);
      if (change.kind === 'figure') this.figures.push(change.figure);
      if (change.kind === 'note') this.notes.push(change.note);
      if (change.kind === 'note-end') this.notes.push(change.entry);
      if (change.kind === 'reply') {
        const { orderKey, step, problem } = change.reply;
        this.replies.set(`${orderKey} ${step} ${problem === null}`, change.reply);
      }
      this.kept.apply(change);
    }
    this.pending = [];
  }

  crash(): void {
    this.pending = [];
  }

  /** Returns the state that a backup would hold. */
  copy(): MirrorState {
    this.flush();
    return this.kept.state;
  }

  /** Replaces the state by a copy, with a new epoch as a restored mirror gets. */
  putBack(copy: MirrorState, epoch: string): void {
    this.pending = [];
    this.kept.state = { ...copy, epoch };
  }

  load(nowMs: number): MirrorState {
    return this.kept.load(nowMs);
  }
}

export const START_MS = 1_700_000_000_000;
export const MARKET = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.001',
  minOrderValue: '5',
});

/** Time from a request that is answered automatically to its reply, in ms. */
const REPLY_MS = 50;

/** Most steps of one `advance`; an engine in a livelock exceeds it, and its test fails. */
const MOST_STEPS = 20_000;

/** Calls whose replies have bytes; here these name the request that they answer. */
const ABOUT_ONE_ORDER: ReadonlySet<VenueCallKind> = new Set(['place', 'place-oco', 'cancel', 'order']);

const READS: ReadonlySet<VenueCallKind> = new Set([
  'orders',
  'trades',
  'wallets',
  'transactions',
  'book',
  'candles',
  'public-trades',
  'options',
]);

export interface WorldOptions {
  readonly settings?: Partial<EngineSettings>;
  readonly instances?: readonly Partial<StrategyInstanceSettings>[];
  /** Strategies that replace the usual one, which places what `want` is given. */
  readonly strategies?: readonly StrategyDefinition[];
  readonly feeds?: readonly PlannedFeed[];
  /** Amount of bnb in the account, which pays the fees while it lasts; without it they are as usual. */
  readonly feeCoins?: string;
}

/** Options with which the strategy has all coins of the account as inventory. */
export const WITH_COINS: WorldOptions = { instances: [{ inventory: { btc: parseUnits('10') } }] };

/** A purchase of one coin below the book, which rests until a test fills it. */
export const WISH = buy(MARKET.symbol, { amount: '1', price: '98' });

/** A bracket around that purchase. */
export const BRACKET: BracketWish = {
  entry: { amount: '1', price: '98' },
  takeProfit: { price: '110' },
  stopLoss: { price: '90' },
};

/** The pair of orders that sells one coin at 110, or at 89 once the price has fallen to 90. */
const EXITS = { amount: '1', price: '110', stopPrice: '90', stopLimitPrice: '89' };
export const PAIR = { kind: 'oco', market: MARKET.symbol, side: 'sell', ...EXITS } as const satisfies Intent;

/** Times with which the books are compared often. */
export const FAST = { everyMs: 10_000, lagMs: 20_000, alertAfterMs: 120_000 };

type RequestOf<Kind extends VenueCallKind> = EngineRequest & {
  readonly call: Extract<VenueCall, { kind: Kind }>;
};

/** A world with an order at its exchange, and the key and id of that. */
interface OpenOrder {
  readonly world: EngineWorld;
  readonly key: string;
  readonly id: VenueOrderId | null;
}

/** An event that a strategy received: its kind, and its content. */
export interface NotedEvent {
  readonly strategy: string;
  readonly kind: string;
  readonly what: unknown;
}

/**
 * An engine in a world that a test controls. The scripted venue answers reads after 50 ms; calls that change
 * the exchange, and look-ups of single orders, wait until the test answers them. After each step the output
 * is checked for what must always hold.
 */
export class EngineWorld {
  readonly venue: ScriptedVenue;
  readonly mirror = new MemoryMirror();
  readonly notices: EngineNotice[] = [];
  readonly events: NotedEvent[] = [];
  /** All requests that the engine has made so far. */
  readonly made: EngineRequest[] = [];
  engine: Engine;
  nowMs = START_MS;
  /** Kinds of calls that the venue answers without the test. */
  readonly answers = new Set<VenueCallKind>(READS);
  /** Kind of read that fails now, and its error; null while all succeed. */
  failing: { readonly kind: VenueCallKind; readonly code: ErrorCode } | null = null;
  /** Rows that replies to a kind of call report as unreadable; null while there are none. */
  unread: { readonly kind: VenueCallKind; readonly rows: readonly UnreadRow[] } | null = null;
  private readonly options: WorldOptions;
  private readonly chosen: Intent[] = [];
  private waiting: EngineRequest[] = [];
  private due: { readonly atMs: number; readonly request: EngineRequest }[] = [];
  private wakeAtMs = START_MS;

  constructor(options: WorldOptions = {}) {
    this.options = options;
    this.venue = new ScriptedVenue(options.settings?.venue, options.feeCoins);
    this.engine = this.begin();
  }

  /** Makes a world whose account has been read; with a longer time the books have begun as well. */
  static ready(options: WorldOptions = {}, forMs = 2_000): EngineWorld {
    const world = new EngineWorld(options);
    world.advance(forMs);
    expect(world.engine.status().phase).toBe('trading');
    return world;
  }

  /** Makes a world as `ready` does, where look-ups of single orders are answered without the test too. */
  static answering(options: WorldOptions = {}, forMs = 2_000): EngineWorld {
    const world = EngineWorld.ready(options, forMs);
    world.answers.add('order');
    return world;
  }

  /** Lets time pass, in ms: the engine does all steps and gets all automatic replies that fall into it. */
  advance(ms: number): this {
    const untilMs = this.nowMs + ms;
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      this.due.sort((left, right) => left.atMs - right.atMs);
      const next = this.due[0];
      const atMs = Math.max(this.nowMs, Math.min(this.wakeAtMs, next?.atMs ?? Infinity));
      if (atMs > untilMs) {
        this.goTo(untilMs);
        return this;
      }
      this.goTo(atMs);
      if (next !== undefined && next.atMs <= atMs) {
        this.due.shift();
        this.answerRead(next.request);
      } else this.take(this.engine.step({ kind: 'tick', atMs }));
    }
    throw new Error(`the engine was still at work after ${MOST_STEPS} steps in ${ms} ms`);
  }

  /** Has the strategy place these intents with its next book, and lets time pass until it has. */
  want(...intents: readonly Intent[]): this {
    this.chosen.push(...intents);
    for (let waited = 0; this.chosen.length > 0; waited += 100) {
      if (waited > 5_000) throw new Error('the strategy got no book');
      this.advance(100);
    }
    return this;
  }

  control(command: ControlCommand): this {
    this.take(this.engine.step({ kind: 'control', atMs: this.nowMs, command }));
    return this;
  }

  /** Returns the oldest unanswered request of a kind; throws if there is none. */
  pending<Kind extends VenueCallKind>(kind: Kind): RequestOf<Kind> {
    const request = this.waiting.find(({ call }) => call.kind === kind);
    if (request === undefined)
      throw new Error(`no ${kind} is waiting, but ${this.waitingKinds().join(', ') || 'nothing'}`);
    return request as RequestOf<Kind>;
  }

  waitingKinds(): readonly string[] {
    return this.waiting.map(({ call }) => call.kind);
  }

  waitingRequests(): readonly EngineRequest[] {
    return this.waiting;
  }

  answer(kind: VenueCallKind, answer: VenueAnswer): this {
    const request = this.pending(kind);
    this.waiting = this.waiting.filter((other) => other !== request);
    this.reply(request, answer, this.nowMs);
    return this;
  }

  give(kind: VenueCallKind, value: unknown): this {
    return this.answer(kind, { outcome: 'value', value: value as VenueOrder });
  }

  /** Registers the order of the oldest `place` request at the exchange, and answers with it. */
  accept(status?: string): VenueOrder {
    const order = this.venue.place(this.pending('place').call.order, status);
    this.give('place', { ...order });
    return order;
  }

  /** Has the strategy place an order that the exchange accepts; returns its key and id. */
  open(wish: Intent = WISH): OpenOrder {
    const { id } = this.want(wish).accept();
    return { world: this, key: this.order().key, id };
  }

  /** Has the strategy place orders that fill one after the other, and lets their fills be read. */
  bought(...wishes: readonly Intent[]): this {
    for (const wish of wishes) this.want(wish).fillNext().advance(11_000);
    return this;
  }

  /** Has the strategy enter brackets one after the other; the exits of all rest. */
  holding(...wishes: readonly BracketWish[]): this {
    for (const wish of wishes) this.bought(bracket(MARKET.symbol, wish)).acceptPair();
    return this;
  }

  /** Accepts the order of the oldest `place` request, and fills it. */
  fillNext(amount?: string, price?: string): this {
    return this.fill(this.accept().id, amount, price);
  }

  fill(...of: Parameters<ScriptedVenue['fill']>): this {
    this.venue.fill(...of);
    return this;
  }

  /** Ends an order at the exchange, as somebody else may. */
  end(...of: Parameters<ScriptedVenue['end']>): this {
    this.venue.end(...of);
    return this;
  }

  /** Ends all orders that are open at the exchange, as somebody else may. */
  endAll(): this {
    for (const { id } of this.venue.open()) this.venue.end(id);
    return this;
  }

  quote(bid: string | null, ask: string | null): this {
    this.venue.book = { bid, ask };
    return this;
  }

  deposit(...of: Parameters<ScriptedVenue['deposit']>): this {
    this.venue.deposit(...of);
    return this;
  }

  acceptPair(): readonly [VenueOrder, VenueOrder] {
    const pair = this.venue.placePair(this.pending('place-oco').call.order);
    this.give('place-oco', pair);
    return pair;
  }

  refuse(
    kind: VenueCallKind,
    code: string,
    more: { readonly effect?: Effect; readonly order?: VenueOrder | null } = {},
  ): this {
    const { effect = 'none', order = null } = more;
    const status = order?.status ?? null;
    return this.answer(kind, { outcome: 'refused', code, message: code, effect, status, order });
  }

  /** Answers a request with an error, by default one that leaves the outcome unknown. */
  fail(kind: VenueCallKind, code: ErrorCode = 'TIMED_OUT', effect: Effect = 'unknown'): this {
    return this.answer(kind, { outcome: 'failed', code, message: code, effect });
  }

  unsend(kind: VenueCallKind, reason = 'it waited too long'): this {
    const request = this.pending(kind);
    this.waiting = this.waiting.filter((other) => other !== request);
    this.reply(request, { outcome: 'unsent', reason }, null);
    return this;
  }

  /** Ends an order at the exchange and answers the request to cancel it. */
  endCanceled(): this {
    this.endedByCancel();
    return this;
  }

  /** Ends the order whose cancel waits, as `endCanceled` does; returns the order. */
  endedByCancel(): VenueOrder {
    const { venueId, clientOrderId } = this.pending('cancel').call;
    const id =
      venueId ?? this.venue.orders.find((order) => order.clientOrderId === clientOrderId)?.id ?? null;
    const order = this.venue.end(id);
    this.give('cancel', { status: order.status, order });
    return order;
  }

  /**
   * Ends the process and starts another one from the mirror. Requests under way are dropped; the exchange
   * keeps its state. `losing`: changes that were not durable are lost.
   */
  restart(way: { readonly losing?: boolean; readonly options?: WorldOptions } = {}): this {
    if (way.losing === true) this.mirror.crash();
    else this.mirror.flush();
    this.waiting = [];
    this.due = [];
    this.engine = this.begin(way.options ?? this.options);
    this.wakeAtMs = this.nowMs;
    return this;
  }

  /**
   * Restarts the bot as one whose earlier version had no inventory, so that the strategy could sell coins of
   * the account: by its trades it holds `held` of the coin, which may be negative.
   */
  restartWithout(held: string, options: WorldOptions = {}): this {
    const copy = this.mirror.copy();
    const strategies = copy.strategies.map((row) => ({ ...row, json: withoutInventory(row.json, held) }));
    this.mirror.putBack({ ...copy, strategies }, copy.epoch);
    return this.restart({ options });
  }

  order(key?: string): OrderRecord {
    const { table } = this.engine.orderManager.blotter;
    const found = key === undefined ? this.lastOrder() : table.get(key);
    if (found === undefined) throw new Error(`no order ${key ?? 'at all'}`);
    return found;
  }

  /** Returns all orders with their last written values, oldest first. */
  orders(): readonly OrderRecord[] {
    return this.stored().orders;
  }

  fills(): readonly FillRecord[] {
    return this.stored().fills;
  }

  /** Returns the state that is on the disk once all is written. */
  stored(): MirrorState {
    this.mirror.flush();
    return this.mirror.load(0);
  }

  /** Returns the records that are stored under names, as rows. */
  records(): readonly { readonly name: string; readonly json: string }[] {
    return Object.entries(this.stored().stored).map(([name, json]) => ({ name, json: json ?? '' }));
  }

  record<Name extends Parameters<typeof readRecord>[1]>(name: Name): ReturnType<typeof readRecord<Name>> {
    return readRecord(this.records(), name);
  }

  alarms(): readonly string[] {
    return this.messages('error');
  }

  messages(level: 'info' | 'warning' | 'error'): readonly string[] {
    return this.notices.flatMap((notice) =>
      notice.kind === 'notice' && notice.level === level ? [notice.message] : [],
    );
  }

  eventsOf(kind: string): readonly unknown[] {
    return this.events.flatMap((event) => (event.kind === kind ? [event.what] : []));
  }

  requestsOf<Kind extends VenueCallKind>(kind: Kind): readonly RequestOf<Kind>[] {
    return this.made.filter((request): request is RequestOf<Kind> => request.call.kind === kind);
  }

  /** Writes the sales requested, such as `market 0.998` or `pair 0.998`, with `cancel` between them. */
  sales(): readonly string[] {
    return this.made.flatMap(({ call }) => {
      if (call.kind === 'cancel') return ['cancel'];
      if (call.kind === 'place-oco') return [`pair ${formatUnits(call.order.amount)}`];
      if (call.kind !== 'place' || call.order.side !== 'sell') return [];
      const { amount, price, execution } = call.order;
      const at = price === null || execution === 'market' ? '' : ` @${formatUnits(price)}`;
      return [`${execution} ${formatUnits(amount)}${at}`];
    });
  }

  /** Writes the orders that are open at the exchange, such as `sell 0.4@110`, sorted. */
  resting(): readonly string[] {
    const orders = this.venue.open().map(({ side, amount, price }) => {
      return `${side} ${formatUnits(amount)}@${formatUnits(price ?? 0n)}`;
    });
    return orders.toSorted();
  }

  /** Returns what the first strategy holds of BTC. */
  get held(): string {
    return formatUnits(this.engine.instances[0]!.held('btc'));
  }

  private lastOrder(): OrderRecord | undefined {
    const key = this.orders().at(-1)?.key;
    return key === undefined ? undefined : this.engine.orderManager.blotter.table.get(key);
  }

  private begin(options: WorldOptions = this.options): Engine {
    const { settings = {}, instances = [{}], feeds = FEEDS } = options;
    const definitions = options.strategies ?? [this.wisher()];
    const all = definitions.map((definition, index) =>
      instanceOf(runnerOn(definition, MARKET.symbol, '1m'), instances[index]),
    );
    return new Engine(
      {
        instance: 'bot',
        venue: INTERFACE_PROFILE,
        markets: [MARKET],
        instances: all,
        feeds,
        ...DEFAULT_ENGINE_TIMES,
        reconciliation: DEFAULT_RECONCILIATION,
        ...settings,
      },
      this.mirror.load(this.nowMs),
      this.nowMs,
    );
  }

  /** Makes a strategy that places with each book what the test wants, and records its events. */
  private wisher(): StrategyDefinition {
    const note = (kind: string, what: unknown): void =>
      void this.events.push({ strategy: 'one', kind, what });
    return defineStrategy({
      name: 'one',
      state: z.strictObject({ books: z.int().default(0) }),
      data: ({ market }) => ({ book: market.book() }),
      on: {
        book: (ctx) => {
          ctx.setState({ books: ctx.state.books + 1 });
          issue(ctx, this.chosen.splice(0));
        },
        start: (_, start) => note('start', start),
        stop: (_, stop) => note('stop', stop),
        fill: (_, fill) => note('fill', fill),
        order: (_, order) => note('order', order),
        transfer: (_, transfer) => note('transfer', transfer),
        reject: (_, rejection) => note('reject', rejection),
      },
    });
  }

  private goTo(atMs: number): void {
    this.nowMs = atMs;
    this.venue.nowMs = atMs;
  }

  private answerRead(request: EngineRequest): void {
    const { failing } = this;
    if (failing !== null && failing.kind === request.call.kind) {
      this.reply(
        request,
        { outcome: 'failed', code: failing.code, message: failing.code, effect: 'none' },
        this.nowMs,
      );
      return;
    }
    const value = this.venue.read(request.call);
    const answer: VenueAnswer =
      value === undefined
        ? {
            outcome: 'refused',
            code: this.venue.profile.refusals.noSuchOrder,
            message: 'not found',
            effect: 'none',
            status: null,
            order: null,
          }
        : {
            outcome: 'value',
            value,
            ...(this.unread?.kind === request.call.kind ? { unread: this.unread.rows } : {}),
          };
    this.reply(request, answer, this.nowMs - REPLY_MS);
  }

  private reply(request: EngineRequest, answer: VenueAnswer, sentAtMs: number | null): void {
    const { id: requestId, call } = request;
    const body = `${answer.outcome} to request ${requestId}`;
    const hasBytes = answer.outcome !== 'unsent' && ABOUT_ONE_ORDER.has(call.kind);
    this.take(
      this.engine.step({
        kind: 'answer',
        atMs: this.nowMs,
        requestId,
        sentAtMs,
        answer,
        ...(hasBytes && {
          reply: { endpoint: call.kind, httpStatus: 200, body, bodyLength: body.length },
        }),
      }),
    );
  }

  private take(output: EngineOutput): void {
    checkOutput(output, this.nowMs);
    this.mirror.apply(output.changes, output.isDurable);
    this.notices.push(...output.notices);
    this.wakeAtMs = output.wakeAtMs;
    for (const request of output.requests) {
      this.made.push(request);
      if (this.answers.has(request.call.kind)) this.due.push({ atMs: this.nowMs + REPLY_MS, request });
      else this.waiting.push(request);
    }
  }
}

function withoutInventory(json: string, held: string): string {
  const row = JSON.parse(json) as { ledger: { holdings: Record<string, object> } };
  const {
    inventory: _,
    inventoryValue: _value,
    unpriced: _unpriced,
    ...ledger
  } = {
    inventory: null,
    inventoryValue: null,
    unpriced: null,
    ...row.ledger,
  };
  const cost = { rls: '0', usdt: held.startsWith('-') ? '-150' : '0' };
  ledger.holdings['btc'] = { ...ledger.holdings['btc'], held, cost };
  return JSON.stringify({ ...row, ledger });
}

/**
 * Checks every step: a request that changes the exchange leaves with its durable row, and the next time at
 * which the engine wakes lies ahead.
 */
function checkOutput(output: EngineOutput, nowMs: number): void {
  expect(output.wakeAtMs).toBeGreaterThan(nowMs);
  for (const { call } of output.requests) {
    if (call.kind === 'cancel' || call.kind === 'cancel-old') expect(output.isDurable).toBe(true);
    if (call.kind !== 'place' && call.kind !== 'place-oco') continue;
    expect(output.isDurable).toBe(true);
    const written = output.changes.flatMap((change) => (change.kind === 'order' ? [change.order] : []));
    const { clientOrderId } = call.order;
    expect(written.findLast(({ key }) => key === clientOrderId)).toMatchObject({
      state: 'sending',
      sentAtMs: nowMs,
    });
    const entries = output.changes.flatMap((change) => (change.kind === 'journal' ? [change.entry] : []));
    const last = entries.findLast(({ kind, subject }) => kind === 'order' && subject === clientOrderId);
    expect(JSON.parse(last?.json ?? 'null')).toMatchObject({ state: 'sending' });
  }
}

/** Makes a feed that polls at one interval, in ms. */
export function feedOf(key: string, kind: PlannedFeed['kind'], everyMs: number): PlannedFeed {
  return {
    key,
    kind,
    market: kind === 'book' || kind === 'public-trades' || kind === 'candles' ? MARKET.symbol : null,
    budget: key,
    requestClass: 'account',
    wantedAgeMs: everyMs,
    longestAgeMs: everyMs * 10,
    intervalMs: everyMs,
    idleIntervalMs: everyMs,
    worstAgeMs: everyMs,
    latestAfterCloseMs: null,
    idleAgeMs: everyMs,
    askers: [],
    cacheMs: 0,
    turns: 1,
    lists: 1,
    weight: 1,
  };
}

export const FEEDS: readonly PlannedFeed[] = [
  feedOf('orders', 'orders', 5_000),
  feedOf('fills', 'trades', 5_000),
  feedOf('wallets', 'wallets', 10_000),
  feedOf('transactions', 'transactions', 5_000),
  feedOf('book BTCUSDT', 'book', 1_000),
];

/** Makes the 24 h statistics of BTCUSDT with this last price and volume. */
export const statsOf = (latest: string, baseVolume = '1'): MarketStats => ({
  ...emptyStats('BTCUSDT'),
  bestSell: decimalText('101'),
  bestBuy: decimalText('99'),
  baseVolume: decimalText(baseVolume),
  latest: decimalText(latest),
});
