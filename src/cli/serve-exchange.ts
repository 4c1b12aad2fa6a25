import { createSimulation, type Simulation } from '../simulator/simulation.ts';
import { SyntheticFlow } from '../simulator/flow/synthetic-flow.ts';
import { ExchangeServer } from '../simulator/server/exchange-server.ts';
import { WorldClock } from '../simulator/server/world-clock.ts';
import type { ExchangeConfig } from '../simulator/settings/exchange-config.ts';
import { readStateFile, StateFileError, writeStateFile } from '../simulator/state/state-file.ts';
import type { World } from '../simulator/world.ts';
import { failed } from './command-error.ts';
import { untilStopped } from './end-signal.ts';

export interface ServeOptions {
  readonly config: ExchangeConfig;
  readonly seed: number;
  readonly host: string;
  readonly port: number;
  readonly adminToken: string | null;
  readonly state: { readonly file: string; readonly everyMs: number } | null;
}

export interface RunningExchange {
  readonly address: string;
  /** Ends with null when it was asked to stop, or with a line that says what went wrong. */
  readonly ended: Promise<string | null>;
  readonly requestCount: () => number;
}

/** Writes the state, or says in one line why that is not possible. */
function save(state: ServeOptions['state'], simulation: Simulation, timeMs: number): string | null {
  if (state === null) return null;
  try {
    writeStateFile(state.file, simulation.exchange, timeMs);
    return null;
  } catch (error) {
    if (error instanceof StateFileError) return error.message;
    throw error;
  }
}

/**
 * Takes a stored state over, if there is one, and writes it again at once, so that a folder that can not be
 * written to shows now and not at the end.
 */
function openState(options: ServeOptions, simulation: Simulation, clock: WorldClock): boolean {
  const { state } = options;
  if (state === null) return false;
  let savedAtMs: number | null;
  try {
    savedAtMs = readStateFile(state.file, simulation.exchange, clock.nowMs());
    if (savedAtMs !== null) clock.startAt(savedAtMs);
  } catch (error) {
    if (error instanceof StateFileError) throw failed(error.message);
    throw error;
  }
  const problem = save(state, simulation, clock.nowMs());
  if (problem !== null) throw failed(problem);
  return savedAtMs !== null;
}

function listenProblem(error: unknown, { host, port }: ServeOptions): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `${host}:${port} is in use: expected a free port, --port 0 takes one`;
  if (code === 'EACCES') return `${host}:${port} is not allowed to this user`;
  return `can not listen at ${host}:${port}: ${message}`;
}

/**
 * The automatic activity in the market. Traders on a stored exchange go on from its prices, without making up
 * a past.
 */
function createWorld(
  { exchange }: Simulation,
  of: { readonly options: ServeOptions; readonly startMs: number; readonly isRestored: boolean },
): World {
  const { config, seed } = of.options;
  if (config.flow.kind === 'none') return exchange;
  const { startMs } = of;
  const flow = new SyntheticFlow({
    exchange,
    seed,
    startMs,
    ...(of.isRestored ? { historyMinutes: 0 } : {}),
  });
  return {
    advance(timeMs) {
      flow.advance(timeMs);
      exchange.advance(timeMs);
    },
  };
}

/** Serves an exchange until a signal ends it. Throws a `CommandError` when it can not begin. */
export async function serveExchange(options: ServeOptions): Promise<RunningExchange> {
  const clock = new WorldClock();
  const simulation = createSimulation({
    config: options.config,
    startMs: clock.nowMs(),
    seed: options.seed,
    onMistake: (error) => console.error(error),
  });
  clock.skewMs = simulation.faulty.plan.clockSkewMs;
  const isRestored = openState(options, simulation, clock);
  const world = createWorld(simulation, { options, startMs: clock.nowMs(), isRestored });
  const server = new ExchangeServer({ simulation, clock, world, adminToken: options.adminToken });
  const stopped = untilStopped();
  let address: string;
  try {
    address = await server.listen({ host: options.host, port: options.port });
  } catch (error) {
    throw failed(listenProblem(error, options));
  }
  const problem = Promise.withResolvers<string>();
  const { state } = options;
  const saver =
    state === null
      ? null
      : setInterval(() => {
          const found = save(state, simulation, server.tick());
          if (found !== null) problem.resolve(found);
        }, state.everyMs);
  const ended = Promise.race([stopped, problem.promise]).then(async (found) => {
    if (saver !== null) clearInterval(saver);
    await server.close();
    return found ?? save(state, simulation, clock.nowMs());
  });
  return { address, ended, requestCount: () => simulation.door.log.count };
}
