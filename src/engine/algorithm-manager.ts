import type { Market } from '../domain/market.ts';
import { parseMarket } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import { isFinal, type OrderRecord } from '../execution/order-record.ts';
import { programFromJson, programToJson } from '../execution/algorithms/algorithm-json.ts';
import type { ProgramOrder, ProgramStep, ProgramView } from '../execution/algorithms/algorithm-step.ts';
import { advanceProgram, type Program } from '../execution/algorithms/algorithms.ts';
import { updateQuotes, type QuotesIntent } from '../execution/algorithms/quotes.ts';
import type { IntentBook } from './intent-blotter.ts';
import type { MarketDesk } from './market-data-cache.ts';
import type { MirrorState } from './mirror-change.ts';
import type { OrderDesk } from './order-manager.ts';
import type { OrderGate } from './pre-trade-risk.ts';
import type { Outbox } from './outbox.ts';
import type { Seat } from './strategy-instance.ts';

/** Programs at work at once; more are refused. */
export const MOST_PROGRAMS = 1_000;

/** Closed orders of a quotes program that it is still shown. Others count all that their orders ever filled. */
const CLOSED_QUOTES_SHOWN_MS = 15_000;

/** How often one program may be asked within a step; beyond it something runs in circles. */
const MOST_ASKS_A_STEP = 20;

interface Work {
  readonly intentId: string;
  readonly seat: Seat;
  readonly market: string;
  program: Program;
  /** Its own orders, oldest first. */
  readonly orders: Map<string, OrderRecord>;
  orderList: readonly OrderRecord[] | null;
  refusals: { readonly order: ProgramOrder; readonly reason: string }[];
  wakeAtMs: number;
  wantsBooks: boolean;
  asks: number;
}

const NO_REFUSALS: ProgramView['refusals'] = [];

export interface ProgramDeskOptions {
  readonly outbox: Outbox;
  readonly desk: OrderDesk;
  readonly gate: OrderGate;
  readonly markets: MarketDesk;
  readonly intents: IntentBook;
  readonly equityOf: (seat: Seat, market: string) => Units | null;
  readonly onRefused: (
    seat: Seat,
    intentId: string,
    refusal: { readonly code: string; readonly reason: string },
  ) => void;
}

/** Runs the programs: asks each what it wants when something of its own changed, and does it. */
export class ProgramDesk {
  private readonly options: ProgramDeskOptions;
  private readonly works = new Map<string, Work>();
  /** Programs that are to be asked. */
  private readonly poked = new Set<Work>();
  /** Orders to be replaced, with the program that waits for each. */
  private readonly replacing = new Map<string, Work>();

  constructor(options: ProgramDeskOptions) {
    this.options = options;
    options.desk.keeper.listen((order) => this.onOrder(order));
  }

  get size(): number {
    return this.works.size;
  }

  /** Whether a program is to be asked at the next step. */
  get isWaited(): boolean {
    return this.poked.size > 0;
  }

  isAtWork(intentId: string): boolean {
    return this.works.has(intentId);
  }

  isReplacing(key: string): boolean {
    return this.replacing.has(key);
  }

  begin(seat: Seat, intentId: string, of: { readonly market: string; readonly program: Program }): void {
    const work = this.enter(seat, intentId, of);
    this.store(work);
    this.poked.add(work);
  }

  /** The quotes of a strategy in a market that are at work already. */
  quotesOf(seat: Seat, market: string): string | null {
    for (const { intentId, program, seat: owner, market: where } of this.works.values()) {
      if (owner === seat && where === market && program.kind === 'quotes') return intentId;
    }
    return null;
  }

  /** Changes a desired set in place. Answers why it can not be; null where it can. */
  renew(intentId: string, intent: QuotesIntent): string | null {
    const work = this.works.get(intentId);
    if (work === undefined || work.program.kind !== 'quotes') return 'the quotes are gone';
    const { program } = work;
    const next = updateQuotes(program, intent, this.options.outbox.nowMs);
    if (!next.ok) return next.reason;
    work.program = next.program;
    if (next.program.quotes !== program.quotes) this.store(work);
    this.poked.add(work);
    return null;
  }

  /** Ends the targets that a strategy had for a market's coin, in whichever market: two would work against each other. Their orders are canceled. */
  endTargets(seat: Seat, market: string): void {
    const { desk } = this.options;
    const { src } = parseMarket(market);
    for (const work of this.works.values()) {
      if (work.seat !== seat || work.program.kind !== 'target' || parseMarket(work.market).src !== src) continue;
      for (const order of work.orders.values()) desk.cancels.cancel(order);
      this.finish(work, 'another target took its place');
    }
  }

  /** Ends programs without asking them; their orders stay as they are. */
  end(
    matches: (work: { readonly seat: Seat; readonly market: string; readonly intentId: string }) => boolean,
    reason: string,
  ): void {
    for (const work of this.works.values()) if (matches(work)) this.finish(work, reason);
  }

  onBook(market: string): void {
    for (const work of this.works.values()) if (work.wantsBooks && work.market === market) this.poked.add(work);
  }

  /** Asks whom it is time to ask; answers whether anybody was. */
  pump(nowMs: number): boolean {
    if (this.works.size === 0) return false;
    for (const work of this.works.values()) if (work.wakeAtMs <= nowMs) this.poked.add(work);
    if (this.poked.size === 0) return false;
    for (const work of this.poked) {
      this.poked.delete(work);
      this.ask(work);
    }
    return true;
  }

  /** To be called once a step, before the first pump. */
  beginStep(): void {
    for (const work of this.works.values()) work.asks = 0;
  }

  wakeAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { wakeAtMs } of this.works.values()) if (wakeAtMs < next) next = wakeAtMs;
    return next;
  }

  restore(state: MirrorState, seats: readonly Seat[]): void {
    for (const { intentId, strategy, market, json } of state.programs) {
      const seat = seats.find(({ name }) => name === strategy);
      const program = seat === undefined ? null : programFromJson(json);
      if (seat === undefined || program === null || this.options.markets.get(market) === undefined) {
        this.options.outbox.change({ kind: 'program-end', intentId });
        continue;
      }
      const work = this.enter(seat, intentId, { market, program });
      for (const { key, intentId: served } of state.orders) {
        // As the keeper has made it: what was being sent is unknown by now.
        const order = served === intentId ? this.options.desk.keeper.table.get(key) : undefined;
        if (order !== undefined) work.orders.set(key, order);
      }
      this.poked.add(work);
    }
  }

  private enter(seat: Seat, intentId: string, of: { readonly market: string; readonly program: Program }): Work {
    const { market, program } = of;
    const work: Work = {
      intentId,
      seat,
      market,
      program,
      orders: new Map(),
      orderList: null,
      refusals: [],
      wakeAtMs: Number.POSITIVE_INFINITY,
      wantsBooks: false,
      asks: 0,
    };
    if (program.kind === 'replace') {
      const replaced = this.options.desk.keeper.table.get(program.replacedKey);
      if (replaced !== undefined) work.orders.set(replaced.key, replaced);
      this.replacing.set(program.replacedKey, work);
    }
    this.works.set(intentId, work);
    return work;
  }

  private onOrder(order: OrderRecord): void {
    const work = this.works.get(order.intentId);
    if (work !== undefined) this.note(work, order);
    const replacing = this.replacing.get(order.key);
    if (replacing !== undefined && replacing !== work) this.note(replacing, order);
  }

  private note(work: Work, order: OrderRecord): void {
    work.orders.set(order.key, order);
    work.orderList = null;
    this.poked.add(work);
  }

  private ask(work: Work): void {
    const { outbox, markets } = this.options;
    const state = markets.get(work.market);
    if (state === undefined || this.works.get(work.intentId) !== work) return;
    work.asks += 1;
    if (work.asks > MOST_ASKS_A_STEP) {
      outbox.alarm(`${work.seat.name}: its ${work.program.kind} runs in circles and was ended`, work.intentId);
      this.finish(work, 'ran in circles');
      return;
    }
    const step = advanceProgram(work.program, this.viewOf(work, state.market));
    const changed = step.program !== work.program;
    work.program = step.program;
    work.refusals = [];
    work.wakeAtMs = step.wakeAtMs ?? Number.POSITIVE_INFINITY;
    work.wantsBooks = step.wantsBooks;
    if (changed) this.store(work);
    this.carryOut(work, step, state.market);
    if (step.done !== null) this.finish(work, step.done);
  }

  private carryOut(work: Work, step: ProgramStep<Program>, market: Market): void {
    const { desk, gate, onRefused } = this.options;
    for (const key of step.cancel) {
      const order = desk.keeper.table.get(key);
      if (order !== undefined) desk.cancels.cancel(order);
    }
    for (const order of step.place) {
      const planned = gate.plan(work.seat, market, {
        intentId: work.intentId,
        tag: null,
        ...order,
        stopPrice: null,
        stopLimitPrice: null,
        // Its parts may be alike, and it counts each of them by its own id.
        whenIdentical: 'send',
      });
      if (planned.ok) continue;
      work.refusals.push({ order, reason: planned.reason });
      this.poked.add(work);
      onRefused(work.seat, work.intentId, planned);
    }
  }

  private viewOf(work: Work, market: Market): ProgramView {
    const { outbox, markets, equityOf } = this.options;
    const { nowMs } = outbox;
    const { seat, refusals, program } = work;
    return new WorkView(markets, {
      nowMs,
      market,
      orders: this.ordersOf(work, nowMs),
      position: seat.held(market.src),
      equity: program.kind === 'target' ? equityOf(seat, market.symbol) : null,
      refusals: refusals.length === 0 ? NO_REFUSALS : refusals,
    });
  }

  private ordersOf(work: Work, nowMs: number): readonly OrderRecord[] {
    if (work.orderList !== null) return work.orderList;
    if (work.program.kind === 'quotes') {
      for (const [key, order] of work.orders) {
        if (isFinal(order) && (order.closedAtMs ?? nowMs) + CLOSED_QUOTES_SHOWN_MS < nowMs) work.orders.delete(key);
      }
    }
    work.orderList = [...work.orders.values()];
    return work.orderList;
  }

  private finish(work: Work, reason: string): void {
    const { outbox, intents } = this.options;
    this.works.delete(work.intentId);
    this.poked.delete(work);
    if (work.program.kind === 'replace') this.replacing.delete(work.program.replacedKey);
    outbox.change({ kind: 'program-end', intentId: work.intentId });
    intents.end(work.intentId, 'done', reason);
  }

  private store(work: Work): void {
    if (!this.options.outbox.isRestartable) return;
    const { intentId, seat, market, program } = work;
    this.options.outbox.change({
      kind: 'program',
      program: { intentId, strategy: seat.name, market, json: programToJson(program) },
    });
  }
}

/** What a program sees. The book is worked out when it is looked at, which most programs never do. */
class WorkView implements ProgramView {
  readonly nowMs: number;
  readonly market: Market;
  readonly orders: readonly OrderRecord[];
  readonly position: Units;
  readonly equity: Units | null;
  readonly refusals: ProgramView['refusals'];
  private readonly markets: MarketDesk;

  constructor(markets: MarketDesk, view: Omit<ProgramView, 'book'>) {
    this.markets = markets;
    this.nowMs = view.nowMs;
    this.market = view.market;
    this.orders = view.orders;
    this.position = view.position;
    this.equity = view.equity;
    this.refusals = view.refusals;
  }

  get book(): ProgramView['book'] {
    return this.markets.seenBook(this.market.symbol);
  }
}
