import { Session } from 'node:inspector';
import {
  answerHere,
  MOMENTS,
  type DecisionMoment,
  type MomentAnswer,
  type MomentQuestion,
  type MomentReplay,
} from '../daemon/answers-apart.ts';
import { strategyFileOf } from '../daemon/load-instances.ts';
import { readSessionFile } from '../daemon/session-file.ts';
import type { Candle } from '../domain/candle.ts';
import { dataUnusable } from '../domain/errors.ts';
import { formatUnits } from '../domain/money.ts';
import type { BookLevel } from '../domain/order-book.ts';
import { lockReason } from '../engine/lock.ts';
import { INTENT_ROWS, ORDER_ROWS } from '../mirror/record-tables.ts';
import { loadStrategy } from '../plugins/load-strategy.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import { readRules, type ReadRules } from '../strategy/explain-rules.ts';
import { hasRules, watchRules, type RuleMoment } from '../strategy/rules.ts';
import type { VenueCall } from '../venues/port.ts';
import { decided, type ReplayWatch } from './check-parity.ts';
import type { Difference } from './difference.ts';
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

export interface SessionReplay extends MomentReplay, Pick<ReadSession, 'endedBy' | 'isRunning'> {
  readonly events: number;
  /** Decisions of the session up to the end of the replay. */
  readonly decisions: number;
  readonly differences: readonly Difference[];
}

/**
 * Runs a recorded session again, event by event, with the code that the strategies have now. Sends nothing.
 * Throws as `readSessionFile` and `readSession` do, and `DATA_UNUSABLE` without events.
 */
export async function replaySession({
  folder,
  bundledStrategies,
  until,
  stops,
}: ReplayOptions): Promise<SessionReplay> {
  const file = readSessionFile(folder);
  const session = readSession(file);
  const { endedBy, isRunning } = session;
  const target = typeof until === 'string' ? targetOf(session, until) : null;
  if (target === undefined) {
    const { endMs } = session;
    const none = { events: 0, decisions: 0, differences: [], moment: null } as const;
    return { beganMs: file.beganMs, endMs, endedBy, isRunning, ...none, missing: 'unknown' };
  }
  const untilMs = target?.atMs ?? (typeof until === 'number' ? until : Number.POSITIVE_INFINITY);
  const gate = { isOpen: false };
  const rules: ReadRules[] = [];
  const onBar = (moment: RuleMoment): void => {
    const { ctx, bar } = moment;
    if (gate.isOpen) rules.push(readRules(moment, { isHeld: ctx.isTradable(ctx.position, bar.close) }));
  };
  const { strategies, strategiesFolders } = file.config;
  const decider = strategies.find(({ name }) => name === target?.strategy);
  const stopIn =
    decider === undefined || decider.plugin.kind === 'definition'
      ? null
      : strategyFileOf(decider.plugin, [...strategiesFolders, bundledStrategies]);
  const instances = await instancesOf(file, bundledStrategies, async (path) => {
    const loaded = await loadStrategy(path);
    const shown = hasRules(loaded.definition)
      ? watchRules(loaded.definition, onBar, { trades: true })
      : loaded.definition;
    const isStopped = stops && (stopIn === null || stopIn === path);
    return { ...loaded, definition: isStopped ? stoppingAt(gate, shown) : shown };
  });
  let events = 0;
  let stopped: Omit<DecisionMoment, 'books' | 'bars'> | null = null;
  const watch: ReplayWatch = {
    before({ atMs }) {
      gate.isOpen = atMs >= untilMs;
      rules.length = 0;
    },
    after(event, { changes }, { call, engine }) {
      events += 1;
      if (event.atMs < untilMs) return false;
      const planned = changes.flatMap((change) =>
        change.kind === 'order' && change.order.state === 'planned' ? [change.order] : [],
      );
      const intents = new Map(
        changes.flatMap((change) =>
          change.kind === 'intent' && change.intent.atMs === event.atMs
            ? [[change.intent.id, change.intent] as const]
            : [],
        ),
      );
      const keys = new Set(planned.map(({ key }) => key));
      const isThere = target === null ? intents.size > 0 : keys.has(target.name) || intents.has(target.name);
      if (!isThere) return false;
      stopped = {
        atMs: event.atMs,
        event: event.kind,
        call: call === null ? null : callText(call),
        phase: engine.status().phase,
        held: engine.instances.flatMap(({ name: strategy, ledger: { state } }) =>
          [...state.holdings]
            .filter(([, { held }]) => held !== 0n)
            .map(([asset, { held }]) => ({ strategy, asset, amount: formatUnits(held) })),
        ),
        open: engine
          .unfinishedOrders()
          .filter(({ key }) => !keys.has(key))
          .map((order) => ORDER_ROWS.stored(order)),
        locks: engine.locks.active().map((lock) => lockReason(lock)),
        rules: [...rules],
        intents: [...intents.values()].map((intent) => INTENT_ROWS.stored(intent)),
        orders: planned.map((order) => ORDER_ROWS.stored(order)),
        log: changes.flatMap((change) => {
          if (change.kind !== 'journal' || change.entry.kind !== 'log') return [];
          const { text } = JSON.parse(change.entry.json) as { readonly text: string };
          return [{ strategy: change.entry.subject, text }];
        }),
      };
      return true;
    },
  };
  const { decisions, differences, again } = await decided(folder, { file, session, instances }, watch);
  if (again.untilMs === null)
    throw dataUnusable(`expected the events of a session in ${folder}, found none: run with --record`);
  // What it had read at its end is what it knew at that moment.
  const moment = stopped === null ? null : { ...(stopped as DecisionMoment), ...knownOf(again.received) };
  const missing = again.failure === null && again.untilMs < untilMs ? 'unreached' : 'otherwise';
  return {
    beganMs: file.beganMs,
    endMs: again.untilMs,
    endedBy,
    isRunning,
    events,
    decisions,
    differences,
    moment,
    missing: moment === null && until !== null ? missing : null,
  };
}

/** Returns the name, strategy and time of an order or intent; undefined for an unknown one. */
function targetOf(
  { orders, intents }: ReadSession,
  name: string,
): { readonly name: string; readonly strategy: string; readonly atMs: number } | undefined {
  const order = orders.find(
    ({ key, clientOrderId, venueId }) => key === name || clientOrderId === name || venueId === name,
  );
  if (order !== undefined) return { name: order.key, strategy: order.strategy, atMs: order.plannedAtMs };
  const intent = intents.find(({ id }) => id === name);
  return intent === undefined ? undefined : { name, strategy: intent.strategy, atMs: intent.atMs };
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
function knownOf({ topics }: ReceivedData): Pick<DecisionMoment, 'books' | 'bars'> {
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

function callText(call: VenueCall): string {
  return 'market' in call && typeof call.market === 'string' ? `${call.kind} ${call.market}` : call.kind;
}

/** Maximum number of differences in an answer, the first ones: later ones follow from them. */
const MOST_ANSWERED = 1_000;

answerHere(MOMENTS, async ({ dataFolder, name }: MomentQuestion): Promise<MomentAnswer> => {
  const of = { folder: dataFolder, bundledStrategies: ownStrategies(), until: name, stops: false };
  const { differences, endedBy: _, isRunning: __, ...replay } = await replaySession(of);
  return { kind: 'replay', ...replay, differences: differences.slice(0, MOST_ANSWERED) };
});
