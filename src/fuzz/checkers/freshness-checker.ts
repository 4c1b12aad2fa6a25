import { SarrafError } from '../../domain/errors.ts';
import { marketOfCurrencies } from '../../exchange/market-names.ts';
import {
  Finder,
  violationsOf,
  type Violation,
  type LeavingRequest,
  type WireWitness,
} from './exchange-truth.ts';
import Database from 'better-sqlite3';
import type { HttpResponse } from '../../exchange/transport.ts';
import { z } from 'zod';
import type { EngineOutput } from '../../engine/engine-event.ts';
import type { MirrorChange } from '../../engine/mirror-change.ts';

const HTTP_OK = 200;

/** Longest age of a book in ms, by the default of the risk checks. */
const LONGEST_AGE_MS = 30_000;

/** Longest wait of a checked order for its slot, plus a short delay of its send, in ms. */
const LONGEST_WAIT_MS = 4_000;

/** Largest error of an age in ms: the clock may be stepped by twice its largest error. */
const CLOCK_STEPS_MS = 30_000;

/** Longest standstill of a book in ms, by the default. */
const LONGEST_STANDSTILL_MS = 60_000;

/** The bot's data on a standing book, and the time at which the list of all books had a newer one. */
interface KnownBook {
  updatedAtMs: number;
  readonly newer: { readonly updatedAtMs: number; readonly seenAtMs: number } | null;
  /** Time of the last reading of the book that stands still. */
  readAtMs: number;
}

/**
 * Checks that no order is placed on old data: when a placement is sent, the last answer with its market's
 * book is no older than a book may be and a placement may wait; and that book did not stand still while the
 * list of all books, read by the same life, had a newer one. Only exits of brackets may use older data. One
 * checker watches all lives of a bot.
 */
export class FreshnessChecker implements WireWitness {
  private readonly found: { readonly name: string; readonly message: string }[] = [];
  /** Time of the last answer with a book, by market; under `all` for an answer with every book. */
  private readonly answeredAtMs = new Map<string, number>();

  /** Data by market. */
  private readonly known = new Map<string, KnownBook>();

  begins(): void {
    this.known.clear();
  }

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    if (endpoint.name !== 'addOrder') return;
    const market = marketIn(fields);
    const answers = [this.answeredAtMs.get(market), this.answeredAtMs.get('all')].filter(
      (time) => time !== undefined,
    );
    const ageMs = atMs - Math.max(Number.NEGATIVE_INFINITY, ...answers);
    const known = this.known.get(market);
    const slackMs = LONGEST_WAIT_MS + CLOCK_STEPS_MS;
    if (
      known !== undefined &&
      known.newer !== null &&
      atMs - known.updatedAtMs > LONGEST_STANDSTILL_MS + slackMs &&
      known.newer.updatedAtMs > known.updatedAtMs + slackMs &&
      known.readAtMs > known.newer.seenAtMs &&
      known.readAtMs > known.newer.updatedAtMs + slackMs
    ) {
      const name = String(fields['clientOrderId']);
      const message = `expected ${name} not to be placed on a book of ${market} that stands still since ${known.updatedAtMs} while there is one of ${known.newer.updatedAtMs}, was at ${atMs}`;
      this.found.push({ name, message });
    }
    if (ageMs <= LONGEST_AGE_MS + LONGEST_WAIT_MS + CLOCK_STEPS_MS) return;
    const name = String(fields['clientOrderId']);
    this.found.push({
      name,
      message: `expected ${name} to be placed on a book of ${market} of at most ${LONGEST_AGE_MS} ms, the last was answered ${ageMs} ms before ${atMs}`,
    });
  }

  isAnswered(request: LeavingRequest, { response, atMs }: Parameters<WireWitness['isAnswered']>[1]): void {
    const { endpoint, path } = request;
    if (response.status !== HTTP_OK) return;
    if (endpoint.name === 'allOrderBooks' || endpoint.name === 'allOrderBooksV3') {
      this.answeredAtMs.set('all', atMs);
      this.noteAll(response.body, atMs);
    }
    if (endpoint.name === 'orderBook' || endpoint.name === 'orderBookV3') {
      const market = path.slice(path.lastIndexOf('/') + 1);
      this.answeredAtMs.set(market, atMs);
      this.noteBook(market, updatedAtIn(response.body, null), atMs);
    }
  }

  private noteBook(market: string, updatedAtMs: number | null, atMs: number): void {
    const known = this.known.get(market);
    if (updatedAtMs === null) this.known.delete(market);
    else if (known?.updatedAtMs === updatedAtMs) known.readAtMs = atMs;
    else this.known.set(market, { updatedAtMs, newer: null, readAtMs: atMs });
  }

  private noteAll(body: string, atMs: number): void {
    for (const [market, known] of this.known) {
      const updatedAtMs = updatedAtIn(body, market);
      if (updatedAtMs === null || known.newer !== null || updatedAtMs <= known.updatedAtMs) continue;
      this.known.set(market, { ...known, newer: { updatedAtMs, seenAtMs: atMs } });
    }
  }

  /** Returns the violations. `exits`: names of the brackets' exit orders, which no book's age forbids. */
  violations(exits: ReadonlySet<string>): readonly Violation[] {
    const found = this.found.filter(({ name }) => !exits.has(name));
    return violationsOf(
      'freshness',
      found.map(({ message }) => message),
    );
  }
}

/** Returns `lastUpdate` of a book, or of one in the list of all; null if it can not be read. */
function updatedAtIn(body: string, market: string | null): number | null {
  try {
    const read: unknown = JSON.parse(body);
    const book: unknown = market === null ? read : (read as Record<string, unknown> | null)?.[market];
    const seconds = (book as { readonly lastUpdate?: unknown } | null | undefined)?.lastUpdate;
    return typeof seconds === 'number' && Number.isSafeInteger(seconds) ? seconds * 1_000 : null;
  } catch {
    return null;
  }
}

/** Returns the market of a placement, spelled as in the path of its book. */
function marketIn(fields: LeavingRequest['fields']): string {
  const [base, quote] = [fields['srcCurrency'], fields['dstCurrency']];
  if (typeof base === 'string' && typeof quote === 'string') return marketOfCurrencies(base, quote).symbol;
  throw new SarrafError(
    'INVARIANT',
    `expected a placement to name its currencies, was ${JSON.stringify(fields)}`,
  );
}

/** States in the mirror of an order that is not passed on yet, or has ended. */
const NOT_IN_FLIGHT: ReadonlySet<string> = new Set(['planned', 'filled', 'cancelled', 'rejected']);

/**
 * Checks that the row is written before the request: when a placement is sent, the mirror's file already has
 * the order as in flight, so the next life knows of it after a crash. It reads the file, not the bot's
 * memory, so a row that is not committed does not count.
 */
export class JournalChecker extends Finder implements WireWitness {
  protected readonly promise = 'journal before request';
  private readonly path: string;
  private database: Database.Database | null = null;
  private selectState: Database.Statement<[string], { readonly state: string }> | null = null;

  /** `path`: the mirror, which need not exist yet. */
  constructor(path: string) {
    super();
    this.path = path;
  }

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    const id = fields['clientOrderId'];
    if (endpoint.name !== 'addOrder' || typeof id !== 'string') return;
    const state = this.stateOf(id);
    if (state !== null && !NOT_IN_FLIGHT.has(state)) return;
    this.found.push(
      `expected ${id} to be on the disk as on its way before its request left at ${atMs}, ${state === null ? 'it was not there' : `it was ${state}`}`,
    );
  }

  isAnswered(): void {}

  close(): void {
    this.database?.close();
  }

  /** Closes its connection, since another file replaces the mirror. */
  forgetFile(): void {
    this.database?.close();
    this.database = null;
    this.selectState = null;
  }

  private stateOf(key: string): string | null {
    this.database ??= new Database(this.path, { readonly: true });
    this.selectState ??= this.database.prepare<[string], { readonly state: string }>(
      'SELECT state FROM orders WHERE order_key = ?',
    );
    return this.selectState.get(key)?.state ?? null;
  }
}

/**
 * Checks that lists overlap: a reading of the trades begins at the last reported trade or before, over all
 * lives of a bot. Ids are not strictly in order, so a reading that begins right after the highest id misses
 * later trades with lower ids.
 */
export class OverlapChecker extends Finder implements WireWitness {
  protected readonly promise = 'overlap';
  private highestReported = Number.POSITIVE_INFINITY;

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    if (endpoint.name !== 'tradesList') return;
    const fromId = Number(fields['fromId'] ?? 1);
    if (fromId <= this.highestReported) return;
    this.found.push(
      `expected a reading of trades to begin at ${this.highestReported}, the last one reported, or before, one began at ${fromId} at ${atMs}`,
    );
  }

  isAnswered({ endpoint }: LeavingRequest, { response }: { readonly response: HttpResponse }): void {
    if (endpoint.name !== 'tradesList' || response.status !== HTTP_OK) return;
    const highest = Math.max(...idsIn(response.body));
    if (!Number.isFinite(highest)) return;
    this.highestReported = Number.isFinite(this.highestReported)
      ? Math.max(this.highestReported, highest)
      : highest;
  }
}

/** Returns the trade ids of a reply; none if it can not be read. */
function idsIn(body: string): readonly number[] {
  try {
    const { trades } = JSON.parse(body) as { readonly trades?: readonly { readonly id?: unknown }[] };
    return (trades ?? []).map(({ id }) => Number(id)).filter((id) => Number.isSafeInteger(id));
  } catch {
    return [];
  }
}

const writtenPauses = z.object({
  locks: z.array(
    z.object({ strategy: z.string().nullable(), endsAtMs: z.number(), pauses: z.boolean().optional() }),
  ),
});
const endedEarly = z.object({ strategy: z.string().nullable(), pauses: z.boolean().optional() });
const row = z.object({ state: z.unknown() });
const tagged = z.object({ tag: z.string().optional() });
const sells = z.object({ intentId: z.string().nullable() });

/** Maximum number of violations that are reported. */
const MOST_NAMED = 20;

/**
 * Checks that a paused strategy gets no events: its state stays unchanged and it makes no intents. The
 * strategies here change their state with each book. What a person closes or places does not count.
 */
export class PauseChecker extends Finder {
  protected readonly promise = 'paused strategies';
  /** End of each strategy's pause, as written before the present step. */
  private readonly paused = new Map<string, number>();
  /** Last state of each strategy that was written in this life. */
  private readonly states = new Map<string, string>();
  private unsure: string | null = null;

  /** True if a strategy is paused. */
  get isPausing(): boolean {
    return this.paused.size > 0;
  }

  /** Called when the process has died: its last write may be lost. */
  died(): void {
    this.unsure = null;
    this.states.clear();
  }

  /** Called when an older mirror has replaced the present one. */
  forget(): void {
    this.died();
    this.paused.clear();
  }

  /** Checks one step, at a time of the bot's clock. */
  watch({ changes }: Pick<EngineOutput, 'changes'>, atMs: number): void {
    if (this.unsure !== null) this.applyStored(this.unsure);
    this.unsure = null;
    for (const [strategy, untilMs] of this.paused) if (untilMs <= atMs) this.paused.delete(strategy);
    const byHand = new Set<string | null>();
    for (const change of changes) {
      if (change.kind === 'kept' && change.name === 'locks') this.unsure = change.json;
      if (change.kind !== 'journal' || change.entry.kind !== 'control') continue;
      const { subject, json } = change.entry;
      if (subject === 'close sells') byHand.add(sells.parse(JSON.parse(json)).intentId);
      if (subject !== 'lock ended early') continue;
      const lock = endedEarly.parse(JSON.parse(json));
      if (lock.pauses === true && lock.strategy !== null) this.paused.delete(lock.strategy);
    }
    for (const change of changes) this.judge(change, byHand, atMs);
  }

  private judge(change: MirrorChange, byHand: ReadonlySet<string | null>, atMs: number): void {
    if (change.kind === 'intent' && change.intent.status === 'working') {
      const { id, strategy, json, approval } = change.intent;
      // What the strategy wanted before its pause may be decided amid it, or expire.
      if (approval !== null && approval !== 'waiting' && approval !== 'exempt') return;
      const { tag } = tagged.parse(JSON.parse(json));
      if (this.paused.has(strategy) && !byHand.has(id) && tag !== 'by-hand')
        this.find(`expected ${strategy}, which is paused, to want nothing at ${atMs}, was ${json}`);
    }
    if (change.kind !== 'strategy') return;
    const { name, json } = change.strategy;
    const state = JSON.stringify(row.parse(JSON.parse(json)).state);
    const before = this.states.get(name);
    this.states.set(name, state);
    if (this.paused.has(name) && before !== undefined && before !== state)
      this.find(`expected ${name}, which is paused, to be told nothing at ${atMs}, its state has changed`);
  }

  private applyStored(json: string): void {
    this.paused.clear();
    for (const { strategy, endsAtMs, pauses } of writtenPauses.parse(JSON.parse(json)).locks)
      if (pauses === true && strategy !== null) this.paused.set(strategy, endsAtMs);
  }

  private find(message: string): void {
    if (this.found.length < MOST_NAMED) this.found.push(message);
  }
}
