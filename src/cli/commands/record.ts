import { countText } from '../../domain/money.ts';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { recordMarketData, type RecordingStatus } from '../../daemon/record-market-data.ts';
import { recordingLines } from '../../daemon/run-recording.ts';
import { usualCatalogue } from '../../daemon/open-catalogue.ts';
import { defaultRecord, type BotConfig } from '../../daemon/create-bot-config.ts';
import type { Override } from '../../daemon/read-bot-config.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { failed, wrongInput, asCommand, programName } from '../command-error.ts';
import { durationOption, marketOption, overrideOption } from '../option-readers.ts';
import { endSignal } from '../end-signal.ts';
import { readConfig } from '../read-config.ts';
import { agoText } from '../../domain/time-text.ts';

interface Options {
  readonly market?: readonly MarketSymbol[];
  readonly address?: string;
  readonly config?: string;
  readonly set: readonly Override[];
  readonly raw?: true;
  readonly catalogue?: string;
  readonly for?: number;
  readonly json?: true;
}

const EXAMPLES = `
It shares the ledger, and so the limits, with all bots of this machine. If a bot trades on the same
address, use "sarraf run --record": it records what the bot reads anyway. Only "sarraf run --record"
records the embedded exchange.
Exit codes: 0 it ended when asked, 1 it ended early, 2 an option or the configuration is wrong.

Examples:
  sarraf record --address https://exchange.example --market BTCIRT ETHIRT
  sarraf record --config bot.yaml --for 1h
  sarraf record --config bot.yaml --market BTCIRT --raw --json`;

const addMarket = (text: string, before: readonly MarketSymbol[] = []): readonly MarketSymbol[] => [
  ...new Set([...before, marketOption(text)]),
];

interface Plan {
  readonly config: BotConfig;
  readonly baseUrl: string;
  readonly markets: readonly MarketSymbol[];
}

function planOf({ address, config: file, market, set }: Options): Plan {
  if (address === undefined && file === undefined)
    throw wrongInput('expected --address or --config, which say where the exchange is, was neither');
  // The checks of paper trading are those of public data: no credentials, and an address that can be trusted.
  const overrides: readonly Override[] =
    address === undefined ? set : [['mode', 'paper'], ['paper.baseUrl', JSON.stringify(address)], ...set];
  const config = readConfig(file ?? null, overrides);
  const baseUrl = config.mode === 'paper' ? config.paper.baseUrl : config.exchange.baseUrl;
  if (config.mode === 'embedded' || baseUrl === null)
    throw wrongInput(
      'expected an exchange with an address, was the embedded one: it is recorded with sarraf run --record',
    );
  const named =
    file === undefined
      ? []
      : config.strategies.flatMap(({ market: own }) => (own === null ? [] : [parseMarket(own).symbol]));
  const markets = market ?? [...new Set(named)];
  if (markets.length > 0) return { config, baseUrl, markets };
  throw wrongInput('expected --market, such as BTCIRT, was none');
}

async function record(options: Options): Promise<void> {
  const { config, baseUrl, markets } = planOf(options);
  using ended = endSignal();
  using progress = new RecordingProgress(options.json === true);
  const usual = config.record ?? defaultRecord(config.data.folder);
  const folder =
    options.catalogue === undefined
      ? (config.record?.folder ?? resolve(usualCatalogue(config.data.folder)))
      : resolve(options.catalogue);
  const summary = await recordMarketData({
    config,
    baseUrl,
    isGuest: options.config === undefined,
    markets,
    record: { ...usual, folder, raw: options.raw ?? usual.raw },
    forMs: options.for ?? null,
    signal: ended.signal,
    onNotice: (message) => progress.log(message),
    onStatus: (status) => progress.show(status),
  });
  progress.end();
  if (options.json === true) console.log(JSON.stringify({ event: 'recorded', ...summary }));
  else for (const line of recordingLines(summary, programName())) console.log(line);
  if (summary.failure !== null) throw failed(`recording ended early: ${summary.failure}`);
}

export function recordCommand(): Command {
  return new Command('record')
    .description(
      'Records books, public trades and statistics of an exchange, as often as its limits allow. Backtests can use them.',
    )
    .option(
      '--market <symbols...>',
      'markets to record (default: those of the strategies in --config)',
      addMarket,
    )
    .option('--address <url>', 'address of the exchange')
    .option('--config <file>', 'configuration of a bot: its exchange, limits, ledger and markets')
    .option('--set <path=value>', 'overrides one value of the configuration; repeatable', overrideOption, [])
    .option('--catalogue <folder>', 'folder of the recordings (default: "data/catalogue")')
    .option('--raw', 'stores every reply whole as well')
    .option('--for <time>', 'ends by itself after this time, such as 1h', durationOption)
    .option('--json', 'prints JSON lines')
    .addHelpText('after', EXAMPLES)
    .action(asCommand(record));
}

/** Describes a recording's progress in one line: rows and age of each kind, and the use of each limit. */
function statusText({ markets, nowMs, requests, failures, lastFailure, budgets }: RecordingStatus): string {
  const parts = markets.map(({ market, kinds }) => {
    const counts = Object.entries(kinds).map(
      ([kind, { rows, seenMs, gaps }]) =>
        `${kind} ${rows.toLocaleString('en')} (${agoText(seenMs, nowMs)}${gaps === 0 ? '' : `, ${countText(gaps, 'gap')}`})`,
    );
    return `${market} ${counts.join(', ')}`;
  });
  const use = budgets.map(({ budget, inUse, limit }) => `${budget} ${inUse}/${limit}`).join(', ');
  const failed = failures === 0 ? '' : `, ${failures} failed (${lastFailure})`;
  return `${parts.join('; ')}; ${countText(requests, 'request')}${failed}${use === '' ? '' : `; ${use}`}`;
}

/** Interval of lines without a terminal, in ms. */
const LINE_EVERY_MS = 10_000;

/** Shows a recording's progress: in place on a terminal, else as lines at an interval, or as JSON. */
class RecordingProgress {
  private readonly isJson: boolean;
  private lineMs = Number.NEGATIVE_INFINITY;
  private isDrawn = false;

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  show(status: RecordingStatus): void {
    const isTerminal = process.stderr.isTTY && !this.isJson;
    if (isTerminal) {
      this.isDrawn = true;
      process.stderr.write(`\r\u001B[K${statusText(status).slice(0, process.stderr.columns - 1)}`);
    } else if (status.nowMs - this.lineMs >= LINE_EVERY_MS) {
      this.lineMs = status.nowMs;
      console.log(this.isJson ? JSON.stringify({ event: 'status', ...status }) : statusText(status));
    }
  }

  /** Writes a message beside the progress. */
  log(message: string): void {
    this.end();
    console.error(message);
  }

  /** Removes the progress line. */
  end(): void {
    if (this.isDrawn) process.stderr.write('\r\u001B[K');
    this.isDrawn = false;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
