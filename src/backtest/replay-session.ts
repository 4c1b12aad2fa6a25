import { readSessionFile } from '../daemon/session-file.ts';
import { SarrafError } from '../domain/errors.ts';
import type { OrderBook } from '../domain/order-book.ts';
import { loadStrategy } from '../plugins/load-strategy.ts';
import type { OrderRecord } from '../records/order.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import type { VenueCall } from '../venues/port.ts';
import { decided, type ReplayWatch } from './check-parity.ts';
import { orderText, type Difference } from './difference.ts';
import { instancesOf, readSession } from './session.ts';

interface ReplayOptions {
  /** Data folder of a run with --record. */
  readonly folder: string;
  readonly bundledStrategies: string;
  /** Stop: the first decision at or after a time in ms, or an order by its key or id; null: the end. */
  readonly until: number | string | null;
  /** True to stop a debugger where the strategy is called at that moment. */
  readonly stops: boolean;
}

/** A step of the engine in which something was decided. */
export interface ReplayMoment {
  readonly atMs: number;
  /** Event of the step: a tick, a command, or the answer to a request. */
  readonly event: string;
  /** Best prices of each market in the last book that the bot had read; null for an empty side. */
  readonly books: readonly {
    readonly market: string;
    readonly bid: string | null;
    readonly ask: string | null;
  }[];
  readonly intents: readonly {
    readonly id: string;
    readonly strategy: string;
    readonly kind: string;
    readonly status: string;
  }[];
  readonly orders: readonly string[];
  readonly log: readonly { readonly strategy: string; readonly text: string }[];
}

export interface SessionReplay {
  readonly beganMs: number;
  /** Time of the last event. */
  readonly endMs: number;
  readonly events: number;
  /** Decisions of the session up to there, and what the code decides otherwise now. */
  readonly decisions: number;
  readonly differences: readonly Difference[];
  /** The moment at which it stopped; null if it ran to the end. */
  readonly moment: ReplayMoment | null;
}

/**
 * Runs a recorded session again, event by event, with the code that the strategies have now. Sends nothing.
 * Throws as `readSessionFile` and `readSession` do, `INVALID_OPTIONS` for an unknown order or a time after
 * the last decision.
 */
export async function replaySession({
  folder,
  bundledStrategies,
  until,
  stops,
}: ReplayOptions): Promise<SessionReplay> {
  const file = readSessionFile(folder);
  const session = readSession(file);
  const order = typeof until === 'string' ? orderOf(session.orders, until) : null;
  const untilMs = order?.plannedAtMs ?? (typeof until === 'number' ? until : Number.POSITIVE_INFINITY);
  const gate = { isOpen: false };
  const instances = await instancesOf(file, bundledStrategies, async (path) => {
    const loaded = await loadStrategy(path);
    return { ...loaded, definition: stops ? stoppingAt(gate, loaded.definition) : loaded.definition };
  });
  const books = new Map<string, OrderBook>();
  let events = 0;
  let moment: ReplayMoment | null = null;
  const watch: ReplayWatch = {
    before({ atMs }) {
      gate.isOpen = atMs >= untilMs;
    },
    after(event, { changes }, call) {
      events += 1;
      if (event.kind === 'answer' && event.answer.outcome === 'value' && call !== null)
        noteBooks(books, call, event.answer.value);
      if (event.atMs < untilMs) return false;
      const journal = changes.flatMap((change) => (change.kind === 'journal' ? [change.entry] : []));
      const planned = changes.flatMap((change) =>
        change.kind === 'order' && change.order.state === 'planned' ? [change.order] : [],
      );
      const intents = journal.flatMap(({ kind, subject, json }) =>
        kind === 'intent' ? [{ id: subject, ...readIntent(json) }] : [],
      );
      const isThere = order === null ? intents.length > 0 : planned.some(({ key }) => key === order.key);
      if (!isThere) return false;
      moment = {
        atMs: event.atMs,
        event: call === null ? event.kind : `answer to ${callText(call)}`,
        books: [...books].map(([market, { bids, asks }]) => ({
          market,
          bid: bids[0]?.[0] ?? null,
          ask: asks[0]?.[0] ?? null,
        })),
        intents,
        orders: planned.map((order) => `${order.key}: ${orderText(order)}`),
        log: journal.flatMap(({ kind, subject, json }) =>
          kind === 'log'
            ? [{ strategy: subject, text: (JSON.parse(json) as { readonly text: string }).text }]
            : [],
        ),
      };
      return true;
    },
  };
  const { decisions, differences, again } = await decided(folder, { file, session, instances }, watch);
  if (until !== null && moment === null)
    throw new SarrafError(
      'INVALID_OPTIONS',
      order === null
        ? 'expected a time before the last decision of the session, nothing was decided after it'
        : `expected the order ${order.key} in the second run, its code does not place it: leave out --until, and see where it differs`,
    );
  return {
    beganMs: file.beganMs,
    endMs: again.untilMs ?? file.beganMs,
    events,
    decisions,
    differences,
    moment,
  };
}

function orderOf(orders: readonly OrderRecord[], name: string): OrderRecord {
  const order = orders.find(
    ({ key, clientOrderId, venueId }) => key === name || clientOrderId === name || venueId === name,
  );
  if (order !== undefined) return order;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected a time, or an order of the session (it has ${orders.length}), was ${name}: "sarraf orders --state all" lists them`,
  );
}

/** Returns a definition whose handlers stop a debugger before they are called while the gate is open. */
function stoppingAt(gate: { readonly isOpen: boolean }, definition: StrategyDefinition): StrategyDefinition {
  const on = Object.fromEntries(
    Object.entries(definition.on).map(([name, handler]) => [
      name,
      handler === undefined
        ? undefined
        : (...args: Parameters<typeof handler>): ReturnType<typeof handler> => {
            // The next step into a function is the first line of the strategy.
            // oxlint-disable-next-line no-debugger
            if (gate.isOpen) debugger;
            return handler(...args);
          },
    ]),
  );
  return { ...definition, on };
}

function noteBooks(books: Map<string, OrderBook>, call: VenueCall, value: unknown): void {
  if (call.kind === 'book') books.set(call.market, value as OrderBook);
  if (call.kind === 'books')
    for (const [market, book] of Object.entries(value as Readonly<Record<string, OrderBook>>))
      books.set(market, book);
}

function readIntent(json: string): Omit<ReplayMoment['intents'][number], 'id'> {
  const { strategy, kind, status } = JSON.parse(json) as Omit<ReplayMoment['intents'][number], 'id'>;
  return { strategy, kind, status };
}

function callText(call: VenueCall): string {
  return 'market' in call && typeof call.market === 'string' ? `${call.kind} ${call.market}` : call.kind;
}
