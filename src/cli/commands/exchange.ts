import { countText } from '../../domain/money.ts';
import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import type { z } from 'zod';
import {
  BUILT_IN_KEY,
  createSimulatedSpot,
  SimulatedSpotServer,
  spotExchangeSettings,
} from '../../binance-spot/simulated-exchange.ts';
import { formatProblems, loadYaml } from '../../configuration/load-yaml.ts';
import { exchangeConfig, type ExchangeConfig } from '../../simulator-server/exchange-config.ts';
import { failed, wrongInput } from '../command-error.ts';
import { integerOption } from '../option-readers.ts';
import {
  createSimulation,
  type Simulation,
  WorldClock,
  type World,
} from '../../simulator-server/simulation.ts';
import { SyntheticFlow } from '../../simulator/synthetic-flow.ts';
import { ExchangeServer } from '../../simulator-server/exchange-server.ts';
import { readStateFile, StateFileError, writeStateFile } from '../../simulator-server/exchange-state.ts';
import { untilStopped } from '../end-signal.ts';

interface Options {
  readonly venue: 'service' | 'binance-spot';
  readonly port: number;
  readonly host: string;
  readonly config?: string;
  readonly seed?: number;
  readonly state?: string;
  readonly saveEvery: number;
  readonly json?: true;
}

const EXAMPLES = `
Examples:
  sarraf exchange
  sarraf exchange --venue binance-spot --port 8901
  sarraf exchange --port 8900 --config config/exchange.yaml --seed 7 --state exchange-state.json`;

/** Reads the configuration of an exchange; without a file, the built-in one. */
function readConfig<Schema extends z.ZodType>(file: string | undefined, schema: Schema): z.output<Schema> {
  if (file === undefined) return schema.parse({});
  const loaded = loadYaml(file, schema);
  if (!loaded.ok) throw wrongInput(formatProblems(file, loaded.problems));
  return loaded.value;
}

/** Serves the exchange binance-spot until a signal ends it. */
async function runSpot(options: Options, command: Command): Promise<void> {
  for (const [name, flag] of [
    ['state', '--state'],
    ['saveEvery', '--save-every'],
  ] as const)
    if (command.getOptionValueSource(name) === 'cli')
      throw wrongInput(`${flag}: the exchange binance-spot has no state file, expected a start without it`);
  const settings = readConfig(options.config, spotExchangeSettings);
  const core = createSimulatedSpot({ settings, seed: options.seed ?? 1 });
  const server = new SimulatedSpotServer({ core, onMistake: (error) => console.error(error) });
  const stopped = untilStopped();
  const address = await server.listen(options).catch((error: unknown) => {
    throw failed(listenProblem(error, options));
  });
  const markets = [...core.markets.keys()];
  const [key] = settings.users.flatMap(({ keys }) => keys);
  if (options.json === true)
    console.log(JSON.stringify({ event: 'listening', address, markets, apiKey: key?.key ?? null }));
  else {
    console.log(`The exchange listens at ${address} with ${markets.join(', ')}.`);
    if (key?.key === BUILT_IN_KEY.key)
      console.log(`Its key: ${BUILT_IN_KEY.key}, with the secret ${BUILT_IN_KEY.secret}`);
  }
  await stopped;
  await server.close();
  if (options.json === true) console.log(JSON.stringify({ event: 'stopped', requests: core.requestCount }));
  else console.log(`The exchange has stopped after ${countText(core.requestCount, 'request')}.`);
}

async function run(options: Options, command: Command): Promise<void> {
  if (options.venue === 'binance-spot') {
    await runSpot(options, command);
    return;
  }
  const config = readConfig(options.config, exchangeConfig);
  const { enabled, token } = config.admin;
  const adminToken = enabled ? (token ?? randomBytes(16).toString('hex')) : null;
  const serve: ServeOptions = {
    config,
    seed: options.seed ?? config.flow.seed ?? 1,
    host: options.host,
    port: options.port,
    adminToken,
    state: options.state === undefined ? null : { file: options.state, everyMs: options.saveEvery * 1_000 },
  };
  const running = await serveExchange(serve);
  const markets = config.markets.map(({ market }) => market.symbol);
  if (options.json === true) {
    console.log(JSON.stringify({ event: 'listening', address: running.address, markets, adminToken }));
  } else {
    console.log(`The exchange listens at ${running.address} with ${markets.join(', ')}.`);
    console.log(`What it answers to: ${running.address}/openapi.json`);
    if (adminToken !== null && token === undefined)
      console.log(`Administrator token of this run: ${adminToken}`);
  }
  const error = await running.ended;
  if (options.json === true)
    console.log(JSON.stringify({ event: 'stopped', requests: running.requestCount() }));
  else console.log(`The exchange has stopped after ${countText(running.requestCount(), 'request')}.`);
  if (error !== null) throw failed(error);
}

export function exchangeCommand(): Command {
  return new Command('exchange')
    .description('Serves a simulated exchange over HTTP, with the whole interface and synthetic traders.')
    .addOption(
      new Option(
        '--venue <venue>',
        'exchange that is served: the built-in one, or the spot exchange of docs/binance-spot.md',
      )
        .choices(['service', 'binance-spot'])
        .default('service'),
    )
    .option('--port <port>', 'port to listen at; 0 takes a free one', integerOption(0, 65_535), 8900)
    .option('--host <host>', 'address to listen at', '127.0.0.1')
    .option(
      '--config <file>',
      'YAML file with markets, users, limits and faults (default: a built-in exchange)',
    )
    .option(
      '--seed <number>',
      'seed of the synthetic traders, tokens and faults',
      integerOption(0, 4_294_967_295),
    )
    .option(
      '--state <file>',
      'file that keeps users, orders and balances over a restart (built-in exchange alone)',
    )
    .option(
      '--save-every <seconds>',
      'how often the state is saved while it runs',
      integerOption(1, 86_400),
      30,
    )
    .option('--json', 'prints JSON lines')
    .addHelpText('after', EXAMPLES)
    .action(run);
}

interface ServeOptions {
  readonly config: ExchangeConfig;
  readonly seed: number;
  readonly host: string;
  readonly port: number;
  readonly adminToken: string | null;
  readonly state: { readonly file: string; readonly everyMs: number } | null;
}

interface RunningExchange {
  readonly address: string;
  /** Resolves with null after a request to stop, or with a line that describes a fault. */
  readonly ended: Promise<string | null>;
  readonly requestCount: () => number;
}

/** Writes the state; returns why it cannot be written, in one line. */
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

/** Loads a stored state, if any, and writes it again at once: an unwritable folder is noticed now. */
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

function listenProblem(error: unknown, { host, port }: Pick<ServeOptions, 'host' | 'port'>): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `${host}:${port} is in use: expected a free port, --port 0 takes one`;
  if (code === 'EACCES') return `${host}:${port} is not allowed to this user`;
  return `can not listen at ${host}:${port}: ${message}`;
}

/** Creates the automatic activity in the market. On a stored exchange traders continue from its prices. */
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

/** Serves an exchange until a signal ends it. Throws a `CommandError` if it cannot begin. */
async function serveExchange(options: ServeOptions): Promise<RunningExchange> {
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
  return { address, ended, requestCount: () => simulation.adapter.log.count };
}
