import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { formatProblems, loadYaml } from '../../configuration/load-yaml.ts';
import {
  exchangeConfig,
  readExchangeConfig,
  type ExchangeConfig,
} from '../../simulator/settings/exchange-config.ts';
import { failed, wrongInput } from '../command-error.ts';
import { integerOption } from '../option-readers.ts';
import { serveExchange, type ServeOptions } from '../serve-exchange.ts';

interface Options {
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
  sarraf exchange --port 8900 --config config/exchange.yaml --seed 7 --state exchange-state.json`;

function readConfig(file: string | undefined): ExchangeConfig {
  if (file === undefined) return readExchangeConfig();
  const loaded = loadYaml(file, exchangeConfig);
  if (!loaded.ok) throw wrongInput(formatProblems(file, loaded.problems));
  return loaded.value;
}

async function run(options: Options): Promise<void> {
  const config = readConfig(options.config);
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
  else console.log(`The exchange has stopped after ${running.requestCount()} requests.`);
  if (error !== null) throw failed(error);
}

/** `sarraf exchange`: serves a simulated exchange over HTTP until it is asked to stop. */
export function exchangeCommand(): Command {
  return new Command('exchange')
    .description('Serves a simulated exchange over HTTP, with the whole interface and synthetic traders.')
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
    .option('--state <file>', 'file that keeps users, orders and balances over a restart')
    .option(
      '--save-every <seconds>',
      'how often the state is saved while it runs',
      integerOption(1, 86_400),
      30,
    )
    .option('--json', 'prints JSON lines')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => run(options));
}
