import { loadInstances } from '../../daemon/load-instances.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import type { SessionFile } from '../../daemon/session-file.ts';
import type { VenueCall } from '../../venues/port.ts';
import { Engine } from '../../engine/engine.ts';
import type { EngineEvent } from '../../engine/engine-event.ts';
import type { OrderRecord } from '../../execution/order-record.ts';
import type { StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import { budgetTable } from '../../exchange/budget-table.ts';
import { MemoryMirror } from '../poll/memory-mirror.ts';
import { planOf } from '../poll/poll-bot.ts';
import { tripKey } from '../../venues/recorded/poll-rules.ts';
import type { WantedThing } from './session-view.ts';
import { Told } from './told.ts';
import { Watch } from './watch.ts';

/** What was decided by an engine that was told what the engine of a session was told. */
export interface DecidedAgain {
  readonly intents: readonly WantedThing[];
  /** As they were when they were planned. */
  readonly orders: readonly OrderRecord[];
  /** What it was told, and how long each call took that was sent, from when it was wanted, by `tripKey`, in the order in which they were sent. */
  readonly told: Told;
  readonly tripsMs: ReadonlyMap<string, readonly number[]>;
  /** The first and the last moment of which it was told; null where nothing was kept. */
  readonly fromMs: number | null;
  readonly untilMs: number | null;
  /** Why it could not go on: it was answered what it had not asked. Null where it took everything. */
  readonly failure: string | null;
}

/** A busy process holds a request for less; what is held for longer waits for its budget, and does so in a second run, too. */
const MOST_HELD_MS = 500;

/** The strategies of a session, made anew. Throws `INVALID_STRATEGY` where none can run. */
export async function instancesOf(
  { config, markets }: SessionFile,
  bundledStrategies: string,
): Promise<readonly StrategyInstanceSettings[]> {
  const { instances } = await loadInstances({
    strategies: config.strategies,
    folders: [...config.strategiesFolders, bundledStrategies],
    knownMarkets: new Set(markets.map(({ symbol }) => symbol)),
  });
  return instances;
}

/**
 * Has an engine decide again with what that of a session began with and was told, event by event. Whatever it decides otherwise is the code, since nothing else
 * is different. What it wants sent goes nowhere: the answers are those that came. The end of the run, when orders are canceled, is left out.
 */
export async function decideAgain(
  file: SessionFile,
  events: AsyncIterable<EngineEvent>,
  instances: readonly StrategyInstanceSettings[],
): Promise<DecidedAgain> {
  const { config, beganMs, markets, state } = file;
  const { feeds } = planOf(instances, budgetTable(config.limits, config.headroom));
  const { execution, instance, reconciliation } = config;
  const engine = new Engine(
    { ...execution, venue: INTERFACE_PROFILE, instance, reconciliation, markets, instances, feeds },
    state,
    beganMs,
  );
  const watch = new Watch([]);
  const told = new Told();
  const mirror = new MemoryMirror(({ kind, subject, json }, atMs) => {
    if (kind === 'intent') watch.intent(subject, json, atMs);
    if (kind === 'intent' || kind === 'order') told.decide(subject);
  });
  // As they were planned: what the answers of the session then make of them is not a decision.
  const planned = new Map<string, OrderRecord>();
  const calls = new Map<number, { readonly call: VenueCall; readonly wantedAtMs: number }>();
  const trips = new Map<string, { readonly sentAtMs: number; readonly tookMs: number }[]>();
  const decided = (untilMs: number | null, failure: string | null): DecidedAgain => {
    const tripsMs = new Map([...trips].map(([key, all]) => [key, inOrder(all)]));
    return { intents: watch.intents, orders: [...planned.values()], told, tripsMs, fromMs, untilMs, failure };
  };
  const note = (event: EngineEvent & { readonly kind: 'answer' }): void => {
    const { requestId, sentAtMs, atMs, answer } = event;
    const wanted = calls.get(requestId);
    calls.delete(requestId);
    if (wanted === undefined || sentAtMs === null) return;
    const { call, wantedAtMs } = wanted;
    told.answer(call, answer, atMs);
    const key = tripKey(call);
    const known = trips.get(key) ?? [];
    trips.set(key, known);
    const heldMs = sentAtMs - wantedAtMs;
    known.push({ sentAtMs, tookMs: Math.max(0, atMs - (heldMs > MOST_HELD_MS ? sentAtMs : wantedAtMs)) });
  };
  let fromMs: number | null = null;
  let untilMs: number | null = null;
  for await (const event of events) {
    if (event.kind === 'control' && event.command.kind === 'drain') break;
    fromMs ??= event.atMs;
    untilMs = event.atMs;
    try {
      const { changes, requests } = engine.step(event);
      if (event.kind === 'answer') note(event);
      for (const { id, call } of requests) calls.set(id, { call, wantedAtMs: event.atMs });
      mirror.apply(changes, event);
      for (const change of changes) {
        if (change.kind === 'order' && !planned.has(change.order.key)) planned.set(change.order.key, change.order);
      }
    } catch (error) {
      return decided(untilMs, error instanceof Error ? error.message : String(error));
    }
  }
  return decided(untilMs, null);
}

function inOrder(trips: readonly { readonly sentAtMs: number; readonly tookMs: number }[]): readonly number[] {
  return trips.toSorted((left, right) => left.sentAtMs - right.sentAtMs).map(({ tookMs }) => tookMs);
}
