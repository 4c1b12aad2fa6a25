import { loadSeats } from '../../daemon/load-seats.ts';
import type { SessionFile } from '../../daemon/session-file.ts';
import { Engine } from '../../engine/engine.ts';
import type { EngineEvent } from '../../engine/engine-event.ts';
import type { OrderRecord } from '../../execution/order-record.ts';
import type { SeatSettings } from '../../engine/engine-settings.ts';
import { budgetTable } from '../../exchange/budget-table.ts';
import { MemoryMirror } from '../poll/memory-mirror.ts';
import { planOf } from '../poll/poll-bot.ts';
import type { WantedThing } from './session-view.ts';
import { Watch } from './watch.ts';

/** What was decided by an engine that was told what the engine of a session was told. */
export interface DecidedAgain {
  readonly intents: readonly WantedThing[];
  /** As they were when they were planned. */
  readonly orders: readonly OrderRecord[];
  /** The last moment of which it was told; null where nothing was kept. */
  readonly untilMs: number | null;
  /** Why it could not go on: it was answered what it had not asked. Null where it took everything. */
  readonly failure: string | null;
}

/** The strategies of a session, made anew. Throws `INVALID_STRATEGY` where none can run. */
export async function seatsOf(
  { config, markets }: SessionFile,
  bundledStrategies: string,
): Promise<readonly SeatSettings[]> {
  const { seats } = await loadSeats({
    strategies: config.strategies,
    folders: [...config.strategiesFolders, bundledStrategies],
    knownMarkets: new Set(markets.map(({ symbol }) => symbol)),
  });
  return seats;
}

/**
 * Has an engine decide again with what that of a session began with and was told, event by event. Whatever it decides otherwise is the code, since nothing else
 * is different. What it wants sent goes nowhere: the answers are those that came. The end of the run, when orders are canceled, is left out.
 */
export async function decideAgain(
  file: SessionFile,
  events: AsyncIterable<EngineEvent>,
  seats: readonly SeatSettings[],
): Promise<DecidedAgain> {
  const { config, beganMs, markets, state } = file;
  const { feeds } = planOf(seats, budgetTable(config.limits));
  const { execution, instance, reconciliation } = config;
  const engine = new Engine({ ...execution, instance, reconciliation, markets, seats, feeds }, state, beganMs);
  const watch = new Watch([]);
  const mirror = new MemoryMirror(({ kind, subject, json }, atMs) => {
    if (kind === 'intent') watch.intent(subject, json, atMs);
  });
  // As they were planned: what the answers of the session then make of them is not a decision.
  const planned = new Map<string, OrderRecord>();
  const decided = (untilMs: number | null, failure: string | null): DecidedAgain => {
    return { intents: watch.intents, orders: [...planned.values()], untilMs, failure };
  };
  let untilMs: number | null = null;
  for await (const event of events) {
    if (event.kind === 'control' && event.command.kind === 'drain') break;
    untilMs = event.atMs;
    try {
      const { changes } = engine.step(event);
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
