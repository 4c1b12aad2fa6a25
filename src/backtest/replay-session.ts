import { Session } from 'node:inspector';
import { strategyFileOf } from '../daemon/load-instances.ts';
import { readSessionFile } from '../daemon/session-file.ts';
import type { Candle } from '../domain/candle.ts';
import { dataUnusable, SarrafError } from '../domain/errors.ts';
import { formatUnits } from '../domain/money.ts';
import type { BookLevel } from '../domain/order-book.ts';
import { lockReason } from '../engine/lock.ts';
import type { JournalEntry } from '../engine/mirror-change.ts';
import type { EngineStatus } from '../engine/trading-state.ts';
import type { Sentence } from '../language/sentence.ts';
import { loadStrategy } from '../plugins/load-strategy.ts';
import type { OrderRecord } from '../records/order.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import type { VenueCall } from '../venues/port.ts';
import { decided, type ReplayWatch } from './check-parity.ts';
import { orderText, type Difference } from './difference.ts';
import type { ReceivedData, TopicKind } from './parity/received-data.ts';
import { instancesOf, readSession, type ReadSession } from './session.ts';

interface ReplayOptions {
  /** Data folder of a run with --record. */
  readonly folder: string;
  readonly bundledStrategies: string;
  /**
   * Stop: the first decision at or after a time in ms, an intent by its id, or an order by its key or id;
   * null: the end.
   */
  readonly until: number | string | null;
  /** True to stop a debugger in the strategy at that moment. */
  readonly stops: boolean;
}

/** A step of the engine in which something was decided: what the bot knew, and what came of it. */
export interface ReplayMoment {
  readonly atMs: number;
  /** Event of the step: a tick, a command, or the answer to a request. */
  readonly event: string;
  readonly phase: EngineStatus['phase'];
  /** Best prices of each market in the last book that the bot had read; null for an empty side. */
  readonly books: readonly {
    readonly market: string;
    readonly bid: string | null;
    readonly ask: string | null;
  }[];
  /** Last closed bar of each series that the bot reads, such as `BTCIRT 1h`. */
  readonly bars: readonly (Candle & { readonly series: string })[];
  /** Assets of each strategy, its quote currencies too. */
  readonly held: readonly { readonly strategy: string; readonly asset: string; readonly amount: string }[];
  /** Orders that were at work or on their way, and the active locks. */
  readonly open: readonly string[];
  readonly locks: readonly Sentence[];
  /** `status` and `reason`: how the step left an intent; null while it is at work. */
  readonly intents: readonly {
    readonly id: string;
    readonly strategy: string;
    readonly kind: string;
    readonly status: string | null;
    readonly reason: Sentence | null;
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
 * Throws as `readSessionFile` and `readSession` do, `DATA_UNUSABLE` without
 * events, `INVALID_OPTIONS` for an unknown order or intent, or a time after the last decision.
 */
export async function replaySession({
  folder,
  bundledStrategies,
  until,
  stops,
}: ReplayOptions): Promise<SessionReplay> {
  const file = readSessionFile(folder);
  const session = readSession(file);
  const target = typeof until === 'string' ? targetOf(session, until) : null;
  const untilMs = target?.atMs ?? (typeof until === 'number' ? until : Number.POSITIVE_INFINITY);
  const gate = { isOpen: false };
  const { strategies, strategiesFolders } = file.config;
  const decider = strategies.find(({ name }) => name === target?.strategy);
  const stopIn =
    decider === undefined || decider.plugin.kind === 'definition'
      ? null
      : strategyFileOf(decider.plugin, [...strategiesFolders, bundledStrategies]);
  const instances = await instancesOf(file, bundledStrategies, async (path) => {
    const loaded = await loadStrategy(path);
    const isStopped = stops && (stopIn === null || stopIn === path);
    return { ...loaded, definition: isStopped ? stoppingAt(gate, loaded.definition) : loaded.definition };
  });
  let events = 0;
  let stopped: Omit<ReplayMoment, 'books' | 'bars'> | null = null;
  const watch: ReplayWatch = {
    before({ atMs }) {
      gate.isOpen = atMs >= untilMs;
    },
    after(event, { changes }, { call, engine }) {
      events += 1;
      if (event.atMs < untilMs) return false;
      const journal = changes.flatMap((change) => (change.kind === 'journal' ? [change.entry] : []));
      const planned = changes.flatMap((change) =>
        change.kind === 'order' && change.order.state === 'planned' ? [change.order] : [],
      );
      const intents = intentsIn(journal);
      const keys = new Set(planned.map(({ key }) => key));
      const isThere =
        target === null
          ? intents.length > 0
          : keys.has(target.name) || intents.some(({ id }) => id === target.name);
      if (!isThere) return false;
      stopped = {
        atMs: event.atMs,
        event: call === null ? event.kind : `answer to ${callText(call)}`,
        phase: engine.status().phase,
        held: engine.instances.flatMap(({ name: strategy, ledger: { state } }) =>
          [...state.holdings]
            .filter(([, { held }]) => held !== 0n)
            .map(([asset, { held }]) => ({ strategy, asset, amount: formatUnits(held) })),
        ),
        open: engine
          .unfinishedOrders()
          .filter(({ key }) => !keys.has(key))
          .map((each) => `${shownOrder(each)}, ${each.state}`),
        locks: engine.locks.active().map((lock) => lockReason(lock)),
        intents,
        orders: planned.map(shownOrder),
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
  if (again.untilMs === null)
    throw dataUnusable(`expected the events of a session in ${folder}, found none: run with --record`);
  // What it had read at its end is what it knew at that moment.
  const moment = stopped === null ? null : { ...(stopped as ReplayMoment), ...knownOf(again.received) };
  if (until !== null && moment === null)
    throw new SarrafError(
      'INVALID_OPTIONS',
      target === null
        ? 'expected a time before the last decision of the session, nothing was decided after it'
        : `expected ${target.name} in the second run, its code does not decide it: leave out --until, and see where it differs`,
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

/** Returns an order or intent: its name, its strategy and when it was decided. */
function targetOf(
  { orders, intents }: ReadSession,
  name: string,
): { readonly name: string; readonly strategy: string; readonly atMs: number } {
  const order = orders.find(
    ({ key, clientOrderId, venueId }) => key === name || clientOrderId === name || venueId === name,
  );
  if (order !== undefined) return { name: order.key, strategy: order.strategy, atMs: order.plannedAtMs };
  const intent = intents.find(({ id }) => id === name);
  if (intent !== undefined) return { name, strategy: intent.strategy, atMs: intent.atMs };
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected a time, an intent, or an order of the session (it has ${orders.length}), was ${name}: "sarraf orders --state all" lists them`,
  );
}

/** Returns a definition at whose handlers a debugger stops while the gate is open. */
function stoppingAt(gate: { readonly isOpen: boolean }, definition: StrategyDefinition): StrategyDefinition {
  const stopping = new Set<string>();
  const on = Object.fromEntries(
    Object.entries(definition.on).map(([name, handler]) => [
      name,
      handler === undefined
        ? undefined
        : (...args: Parameters<typeof handler>): ReturnType<typeof handler> => {
            if (gate.isOpen && !stopping.has(name)) stopBeforeCalls(handler);
            if (gate.isOpen) stopping.add(name);
            return handler(...args);
          },
    ]),
  );
  return { ...definition, on };
}

/** Name under which the inspector finds a function. */
const FOUND_AS = 'functionOfSarraf';

/** Sets a breakpoint in a function: any debugger of this process stops at its first line. */
function stopBeforeCalls(handler: (...args: never) => unknown): void {
  const session = new Session();
  session.connect();
  session.post('Debugger.enable');
  Object.assign(globalThis, { [FOUND_AS]: handler });
  session.post('Runtime.evaluate', { expression: FOUND_AS }, (_, { result: { objectId } }) =>
    // Node's types lack the methods that are experimental.
    session.post('Debugger.setBreakpointOnFunctionCall' as never, { objectId } as never),
  );
  Reflect.deleteProperty(globalThis, FOUND_AS);
}

/** Returns the last books and bars of what a bot has received. */
function knownOf({ topics }: ReceivedData): Pick<ReplayMoment, 'books' | 'bars'> {
  const last = (of: TopicKind): (readonly [name: string, text: string])[] =>
    [...topics].flatMap(([topic, { kind, readings }]) =>
      kind === of ? [[topic.slice(topic.indexOf(' ') + 1), readings.at(-1)?.text ?? 'null'] as const] : [],
    );
  return {
    books: last('book').map(([market, text]) => {
      const [bids, asks] = JSON.parse(text) as readonly [readonly BookLevel[], readonly BookLevel[]];
      return { market, bid: bids[0]?.[0] ?? null, ask: asks[0]?.[0] ?? null };
    }),
    bars: last('candles').flatMap(([series, text]) => {
      const bar = JSON.parse(text) as Candle | null;
      return bar === null ? [] : [{ series, ...bar }];
    }),
  };
}

/** Returns the new intents of a step, each with how the step left it. */
function intentsIn(journal: readonly JournalEntry[]): ReplayMoment['intents'] {
  const lines = journal.flatMap(({ kind, subject: id, json }) =>
    kind === 'intent' ? [{ id, ...(JSON.parse(json) as Partial<ReplayMoment['intents'][number]>) }] : [],
  );
  return lines.flatMap(({ id, strategy, kind }) => {
    if (strategy === undefined || kind === undefined) return [];
    const { status = null, reason = null } =
      lines.findLast((line) => line.id === id && line.status !== undefined) ?? {};
    return [{ id, strategy, kind, status, reason }];
  });
}

const shownOrder = (order: OrderRecord): string => `${order.key}: ${orderText(order)}`;

function callText(call: VenueCall): string {
  return 'market' in call && typeof call.market === 'string' ? `${call.kind} ${call.market}` : call.kind;
}
