import { z } from 'zod';
import { UNITS_PER_ONE } from '../../domain/money.ts';
import type { ApprovalCommand, EngineEvent, EngineOutput } from '../../engine/engine-event.ts';
import type { OrderRecord } from '../../records/order.ts';
import type { ApprovalSettings } from '../../engine/engine-settings.ts';
import type { drawnApproval } from '../bot-engine.ts';
import type { Engine } from '../../engine/engine.ts';
import type { IntentRecord } from '../../records/rows.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import {
  addedRisk,
  PROMPT_MS,
  type SentOrder,
  type GivenCoins,
  type ExchangeTruth,
  namedOrders,
  inMirror,
  Finder,
  violationsOf,
  type Violation,
} from './exchange-truth.ts';
import type { MirrorChange } from '../../engine/mirror-change.ts';
import { MARK } from '../vandal.ts';
import { existsSync } from 'node:fs';
import type { SignalReply } from '../../engine/signal-intake.ts';
import { LISTENER, LISTENER_STATE, MOST_SEEN } from '../workload/roamer.ts';
import { isoText } from '../../domain/time-text.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';

const sells = z.object({ intentId: z.string().nullable(), strategy: z.string(), market: z.string() });
const tagged = z.object({ tag: z.string().optional() });

interface ByHandCheckerOptions {
  readonly instance: string;
  readonly given?: GivenCoins;
  readonly count: (what: string) => void;
}

/**
 * Checks manual closes and orders over all lives. A close never sells more than was held, by the exchange's
 * trades, and waits for the ends of all other orders in the coin. Each manual order is placed at most once,
 * however often its command was given: each has an amount of its own here. A crash loses all steps since the
 * last durable one, so their ids and names can be used again: a new use is judged by itself.
 */
export class ByHandChecker {
  private readonly options: ByHandCheckerOptions;
  /** Ids of the intents of closes. */
  private readonly closings = new Set<string>();
  private readonly sold = new Map<string, SentOrder>();
  /** Requests of manual orders by order name; no two commands have equal requests. */
  private readonly placed = new Map<string, string>();
  /** Requests of manual orders by intent. */
  private readonly requests = new Map<string, string>();
  private readonly tooEarly: string[] = [];
  /** True once an older mirror was restored: the bot then has to rediscover what it knew. */
  private isBlind = false;

  constructor(options: ByHandCheckerOptions) {
    this.options = options;
  }

  /** Called when an older mirror has replaced the present one. */
  forget(): void {
    this.isBlind = true;
  }

  /** Checks one step, at a time of the bot's clock and of the exchange's. */
  watch(
    engine: Pick<Engine, 'unfinishedOrders'>,
    { changes }: Pick<EngineOutput, 'changes'>,
    atMs: number,
    exchangeMs: number = atMs,
  ): void {
    if (this.isBlind) return;
    for (const change of changes) {
      if (change.kind === 'journal' && change.entry.kind === 'control')
        this.control(engine, change.entry.subject, change.entry.json);
      if (change.kind === 'intent' && change.intent.status === 'working') this.begin(change.intent);
    }
    for (const change of changes) {
      if (change.kind !== 'order' || change.order.state !== 'sending') continue;
      const { intentId, clientOrderId, strategy, plannedAtMs } = change.order;
      if (clientOrderId === null) continue;
      const request = this.requests.get(intentId);
      if (request === undefined) this.placed.delete(clientOrderId);
      else this.placed.set(clientOrderId, request);
      if (!this.closings.has(intentId)) this.sold.delete(clientOrderId);
      if (!this.closings.has(intentId) || atMs - plannedAtMs > PROMPT_MS) continue;
      this.options.count('orders of a close');
      this.sold.set(clientOrderId, { strategy, sentAtMs: exchangeMs });
    }
  }

  violations(truth: ExchangeTruth, refused: ReadonlySet<string>): readonly Violation[] {
    const tooMuch = addedRisk(truth, this.sold, { ...this.options, refused }).map(
      ({ order, name }) =>
        `expected the close ${name} (${order.side} ${order.amount} in ${order.market}) to be of no more than was held`,
    );
    const names = new Set(namedOrders(truth, this.options.instance).map(({ name }) => name));
    const twice = [...Map.groupBy(names, (name) => this.placed.get(name))].flatMap(([request, alike]) =>
      request === undefined || alike.length === 1
        ? []
        : [`expected one order by hand for ${request}, were ${alike.join(', ')}`],
    );
    return violationsOf('by hand', [...tooMuch, ...twice, ...this.tooEarly]);
  }

  private control(engine: Pick<Engine, 'unfinishedOrders'>, subject: string, json: string): void {
    if (subject === 'close sells') {
      const { intentId, strategy, market } = sells.parse(JSON.parse(json));
      if (intentId !== null) this.closings.add(intentId);
      const { base } = parseMarket(market);
      for (const order of engine.unfinishedOrders()) {
        const isOther = order.strategy === strategy && order.intentId !== intentId;
        if (isOther && parseMarket(order.market).base === base)
          this.tooEarly.push(`expected a close of ${strategy} to wait for ${order.key}, was ${order.state}`);
      }
      this.options.count('close sells');
    }
    if (subject === 'close result' || subject === 'place result') {
      const { ok } = z.object({ ok: z.boolean() }).parse(JSON.parse(json));
      this.options.count(`${subject} ${ok ? 'ok' : 'not ok'}`);
    }
  }

  private begin({ id, kind, json }: IntentRecord): void {
    this.closings.delete(id);
    if (kind === 'place' && tagged.parse(JSON.parse(json)).tag === 'by-hand') this.requests.set(id, json);
    else this.requests.delete(id);
  }
}

const sized = tagged.extend({ amount: z.unknown().optional() });

/**
 * Checks notes and dry runs over all lives: the mirror has the last text of each purchase, and a dry run
 * makes no intent: none of its amount in its step, and none of a person later; each has an amount of its own
 * here, which a strategy can draw too. A crash loses at most the note whose step it hit.
 */
export class NoteChecker extends Finder {
  protected readonly promise = 'notes and dry runs';
  private readonly path: string;
  private readonly count: (what: string) => void;
  /** Amounts of dry runs. */
  private readonly checked = new Set<unknown>();
  /** Texts by the key of the purchase. */
  private notes = new Map<string, string>();
  /** Purchase that the last note was of. */
  private newest: string | null = null;

  constructor(path: string, count: (what: string) => void) {
    super();
    this.path = path;
    this.count = count;
  }

  /** Called when an older mirror has replaced the present one. */
  forget(): void {
    this.notes.clear();
    this.newest = null;
  }

  /** Called when a life begins, which reads what the one before has stored. */
  begins(): void {
    const stored = readNotes(this.path);
    if (this.notes.size > 0 && stored !== null) {
      this.compare(stored, this.newest);
      this.count('note restored');
    }
    this.notes = stored ?? new Map();
    this.newest = null;
  }

  watch(event: EngineEvent, { changes }: Pick<EngineOutput, 'changes'>): void {
    const command = event.kind === 'control' && event.command.kind === 'place' ? event.command : null;
    const checkedNow = command?.isDryRun === true ? command.amount : null;
    if (checkedNow !== null) this.checked.add(checkedNow);
    for (const change of changes) {
      if (change.kind === 'note') this.notes.set((this.newest = change.note.entry), change.note.text);
      if (change.kind === 'note-end') this.notes.delete((this.newest = change.entry));
      if (change.kind !== 'intent') continue;
      const { id, json } = change.intent;
      const { amount, tag } = sized.parse(JSON.parse(json));
      if (amount === checkedNow || (tag === 'by-hand' && this.checked.has(amount)))
        this.found.push(`expected no intent of a dry run, was ${id}: ${json}`);
    }
  }

  override violations(): readonly Violation[] {
    const stored = readNotes(this.path);
    if (stored !== null) this.compare(stored, null);
    return super.violations();
  }

  private compare(stored: ReadonlyMap<string, string>, lost: string | null): void {
    for (const entry of new Set([...this.notes.keys(), ...stored.keys()])) {
      const [expected, was] = [this.notes.get(entry), stored.get(entry)];
      if (entry !== lost && expected !== was)
        this.found.push(`expected the note of ${entry} to be ${expected ?? 'none'}, was ${was ?? 'none'}`);
    }
  }
}

/** Returns the texts of the notes in the mirror by purchase; null for a mirror of a version without notes. */
function readNotes(path: string): Map<string, string> | null {
  if (!existsSync(path)) return null;
  return inMirror(path, (database) => {
    const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'trip_notes'").get();
    if (isThere === undefined) return null;
    const rows = database.prepare<[], [string, string]>('SELECT entry, text FROM trip_notes').raw().all();
    return new Map(rows);
  });
}

const prices = z.object({ clientOrderId: z.string().optional(), position: z.unknown().optional() });

/** Kinds of intents that add no risk. */
const NO_ENTRIES: ReadonlySet<string> = new Set(['cancel', 'cancel-all', 'protect', 'exit', 'transfer']);

/**
 * Checks approvals over all lives, by the commands that the bot was given and the orders that it sends: no
 * purchase of a strategy that needs approvals leaves without one in time, unless it is small, of a person, or
 * costs no more than the order that it replaces. Nothing that only sells waits. Ids of intents can be used
 * again after a crash, so a new use begins anew.
 */
export class ApprovalChecker extends Finder {
  protected readonly promise = 'approvals';
  private readonly drawn: ReturnType<typeof drawnApproval>;
  private readonly count: (what: string) => void;
  private readonly intents = new Map<string, IntentRecord>();
  /** Ids of the entries that a person approved before they had expired. */
  private readonly approved = new Set<string>();
  private readonly orders = new Map<string, OrderRecord>();
  private isBlind = false;

  constructor(drawn: ReturnType<typeof drawnApproval>, count: (what: string) => void) {
    super();
    this.drawn = drawn;
    this.count = count;
  }

  /** Called when an older mirror has replaced the present one: entries approved since are not known then. */
  forget(): void {
    this.isBlind = true;
  }

  watch(event: EngineEvent, { changes }: Pick<EngineOutput, 'changes'>): void {
    if (this.drawn === null || this.isBlind) return;
    if (event.kind === 'control' && event.command.kind === 'approve') this.approve(event.command, event.atMs);
    for (const change of changes) {
      if (change.kind === 'intent' && change.intent.strategy === this.drawn.strategy)
        this.intent(change.intent);
      if (change.kind !== 'order' || change.order.strategy !== this.drawn.strategy) continue;
      if (change.order.state === 'sending' && change.order.attempts <= 1) this.judge(change.order);
      this.orders.set(change.order.key, change.order);
    }
  }

  private approve({ intent }: ApprovalCommand, atMs: number): void {
    const waiting = this.intents.get(intent);
    if (waiting?.approval === 'waiting' && (waiting.expiresAtMs ?? 0) > atMs) this.approved.add(intent);
  }

  private intent(intent: IntentRecord): void {
    const { id, kind, approval, json } = intent;
    const before = this.intents.get(id);
    if (before === undefined || before.atMs !== intent.atMs) {
      if (approval === 'waiting' || approval === null) this.approved.delete(id);
      if (approval === 'waiting' && (NO_ENTRIES.has(kind) || json.includes('"side":"sell"')))
        this.found.push(`expected an entry to wait, was ${json} at ${intent.atMs}`);
    }
    if (approval !== null && approval !== before?.approval)
      this.count(`entry ${approval === 'waiting' ? 'waits' : approval}`);
    this.intents.set(id, intent);
  }

  private judge(order: OrderRecord): void {
    const { side, intentId, tag } = order;
    if (side === 'sell' || tag === 'by-hand' || intentId === 'adopted') return;
    if (this.approved.has(intentId)) {
      this.count('orders of an approved entry');
      return;
    }
    const intent = this.intents.get(intentId);
    if (intent === undefined || this.isSmall(order) || this.isNoMore(order, intent)) return;
    this.found.push(
      `expected an approval of ${intentId} (${intent.json}) before ${order.key} is sent, was ${intent.approval}`,
    );
  }

  /** True if an order is small. Its own price may be a tenth above the one by which its intent was judged. */
  private isSmall({ market, amount, price, stopPrice }: OrderRecord): boolean {
    const above: ApprovalSettings['above'] = this.drawn?.settings.above ?? {};
    const most = above[parseMarket(market).quote];
    const at = price ?? stopPrice;
    return most !== undefined && at !== null && amount * at * 10n <= most * UNITS_PER_ONE * 11n;
  }

  /** True if a purchase costs no more than the order that it replaces, or brings a debt back to zero. */
  private isNoMore({ amount, price }: OrderRecord, { kind, json }: IntentRecord): boolean {
    const { clientOrderId, position } = prices.parse(JSON.parse(json));
    if (kind === 'target') return position === 0 || position === '0';
    const replaced = kind === 'replace' ? this.orders.get(clientOrderId ?? '') : undefined;
    if (replaced === undefined || price === null || replaced.price === null) return false;
    return amount <= replaced.amount && price <= replaced.price;
  }
}

/** Kinds of changes of the account and its markets: they contain no text of a strategy. */
const FACTS: ReadonlySet<MirrorChange['kind']> = new Set([
  'book',
  'stats',
  'public-trades',
  'wallet',
  'market',
  'order',
  'fill',
  'intent',
]);

/**
 * Checks that a hostile strategy affects only itself: its changes are not seen by the engine, the mirror or
 * the exchange, no other strategy fails, and nothing of a wrong answer is accepted, including its state.
 */
export class VandalChecker extends Finder {
  protected readonly promise = 'hostile strategy';

  watch(engine: Engine, { changes, requests }: EngineOutput, atMs: number): void {
    for (const change of changes) {
      if (FACTS.has(change.kind) && marked(change))
        this.find(`no mark in a change of ${change.kind}`, change, atMs);
      if (
        change.kind === 'journal' &&
        change.entry.kind === 'strategy' &&
        change.entry.subject !== 'vandal'
      ) {
        this.find('no other strategy to fail', change.entry, atMs);
      }
      if (change.kind === 'strategy' && change.strategy.json.includes('"spoiled":true'))
        this.find('no state out of an answer that was wrong', change.strategy.name, atMs);
    }
    for (const { call } of requests) if (marked(call)) this.find('no mark in a request', call, atMs);
    for (const { market, book } of engine.markets.all()) {
      if (book !== null && marked(book)) this.find(`no mark in the book of ${market.symbol}`, book, atMs);
    }
  }

  private find(expected: string, was: unknown, atMs: number): void {
    this.found.push(`expected ${expected} at ${atMs}, was ${textOf(was).slice(0, 300)}`);
  }
}

/** Returns true if a text at any depth of a value has the mark. */
function marked(what: unknown): boolean {
  if (typeof what === 'string') return what.includes(MARK);
  return typeof what === 'object' && what !== null && Object.values(what).some(marked);
}

function textOf(what: unknown): string {
  return (
    JSON.stringify(what, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? ''
  );
}

const row = z.object({ state: LISTENER_STATE });

/**
 * Checks that a signal is delivered once: by the mirror's file, over all lives, the strategy's state has its
 * id exactly as often as its reply says. Each signal has a reply in the end.
 */
export class SignalChecker {
  /** First reply to each id. */
  private readonly replies = new Map<string, SignalReply['outcome']>();
  private readonly unlike: string[] = [];

  /** Called when the sender has a reply. */
  replied(id: string, { outcome }: SignalReply): void {
    const before = this.replies.get(id) ?? 'refused';
    // One that was one too many is not remembered, and may be told later.
    if (before === 'refused') this.replies.set(id, outcome);
    else if (before !== outcome)
      this.unlike.push(`expected the signal ${id} to stay ${before}, was ${outcome}`);
  }

  /** Called when an older mirror has replaced the present one: signals may then be delivered again. */
  forget(): void {
    this.replies.clear();
    this.unlike.length = 0;
  }

  /** Returns the violations. `unanswered`: ids sent and never answered; `again`: ids sent repeatedly. */
  violations(path: string, unanswered: readonly string[], again: ReadonlySet<string>): readonly Violation[] {
    const delivered = readNotified(path);
    if (delivered === null) return [];
    const counts = new Map<string, number>();
    for (const id of delivered) counts.set(id, (counts.get(id) ?? 0) + 1);
    const twice = [...counts].flatMap(([id, count]) =>
      count > 1 ? [`expected the signal ${id} to be told once, was told ${count} times`] : [],
    );
    // The state has the last ones, and so do the answers.
    const answered = [...this.replies].filter(([, outcome]) => outcome === 'told').slice(-MOST_SEEN / 2);
    const lost = answered.flatMap(([id]) =>
      counts.has(id) ? [] : [`expected the signal ${id}, which was answered as told, in the state`],
    );
    const wrong = [...this.replies].flatMap(([id, outcome]) =>
      outcome !== 'told' && counts.has(id) && !(outcome === 'refused' && again.has(id))
        ? [`expected the signal ${id} not to be told: it was ${outcome}`]
        : [],
    );
    const silent = unanswered.map((id) => `expected an answer to the signal ${id}, was none`);
    return violationsOf('signals', [...twice, ...lost, ...wrong, ...this.unlike, ...silent]);
  }
}

/** Returns the ids in the strategy's state, from the file; null if it has none. */
function readNotified(path: string): readonly string[] | null {
  if (!existsSync(path)) return null;
  const json = inMirror(path, (database) =>
    database
      .prepare<[string], string>('SELECT json FROM strategies WHERE name = ?')
      .pluck()
      .get(LISTENER.name),
  );
  return json === undefined ? null : row.parse(JSON.parse(json)).state.told;
}

/**
 * Checks the bars that the bot stores as closed: each begins where one of the exchange's does, and its end
 * had passed by the exchange's time, whatever the bot's clock says. A bar stored earlier lacks its last
 * trades.
 */
export class BarChecker extends Finder {
  protected readonly promise = 'bars';
  private readonly exchange: SimulatedExchange;

  constructor(exchange: SimulatedExchange) {
    super();
    this.exchange = exchange;
  }

  /** Checks the bars that a step stores; `nowMs`: the exchange's time. Returns timeframes unlike UTC. */
  watch(changes: readonly MirrorChange[], nowMs: number): readonly string[] {
    const elsewhere: string[] = [];
    for (const change of changes) {
      if (change.kind !== 'candle') continue;
      const { market, timeframe, candle } = change;
      const state = [...this.exchange.markets.values()].find(({ rules }) => rules.symbol === market);
      if (state === undefined) continue;
      const grid = state.candles.grid(timeframe);
      const { openTimeMs } = candle;
      const bar = `the bar of ${timeframe} of ${market} at ${isoText(openTimeMs)}`;
      if (!grid.isStart(openTimeMs)) this.found.push(`${bar} begins where none of the exchange does`);
      else if (grid.endOf(openTimeMs) > nowMs)
        this.found.push(`${bar} was kept at ${isoText(nowMs)}, before its end`);
      if (openTimeMs % grid.lengthMs !== 0) elsewhere.push(timeframe);
    }
    return elsewhere;
  }
}
