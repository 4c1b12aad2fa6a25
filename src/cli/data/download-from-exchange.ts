import { openRemoteExchange } from '../../venues/live/live-venue.ts';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import type { Override } from '../../daemon/settings/overrides.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import { downloadCandles } from '../../recording/download-candles.ts';
import { timeText } from '../../recording/read-partitions.ts';
import { failed, wrongInput } from '../command-error.ts';
import { readConfig } from '../read-config.ts';
import { untilStopped } from '../end-signal.ts';
import { type DataOptions } from './data-options.ts';
import { historyPages, waitText } from './history-pages.ts';
import { ProgressLine } from './progress-line.ts';

/** Options of `sarraf data download`; times in ms. */
export interface DownloadCommandOptions extends DataOptions {
  readonly market: MarketSymbol;
  readonly timeframe: Timeframe;
  readonly from: number;
  readonly to?: number;
  readonly address?: string;
  readonly config?: string;
}

/** Delay before a wait is reported. */
const QUIET_FOR_MS = 2_000;

/**
 * Loads candles as `sarraf data download` does. Throws a `CommandError` for what is wrong with that.
 */
export async function downloadFromExchange(options: DownloadCommandOptions): Promise<void> {
  // The checks of paper trading are those of public data: no credentials, and an address that can be trusted.
  const overrides: readonly Override[] =
    options.address === undefined
      ? []
      : [
          ['mode', 'paper'],
          ['paper.baseUrl', JSON.stringify(options.address)],
        ];
  const config = readConfig(options.config ?? null, overrides);
  const baseUrl = config.mode === 'paper' ? config.paper.baseUrl : config.exchange.baseUrl;
  if (baseUrl === null) {
    throw wrongInput(
      'expected an exchange to load from: name it with --address, or as exchange.baseUrl or paper.baseUrl of --config',
    );
  }
  const catalogue = openCatalogue(options.catalogue);
  const { market, timeframe, from: fromMs, to: toMs = Date.now() } = options;
  // Candles are public: no log-in is needed, and none of the account's budgets is touched.
  const remote = await openRemoteExchange({
    config,
    baseUrl,
    credentials: null,
    isGuest: true,
    onProblem: (line) => console.error(line),
  });
  const stop = new AbortController();
  void untilStopped().then(() => {
    stop.abort();
    return remote.limiter.close();
  });
  const line = new ProgressLine(options.json !== true);
  const notice = setTimeout(() => {
    const wait = waitText(remote, market);
    if (wait !== null) console.error(wait);
  }, QUIET_FOR_MS);
  try {
    const report = await downloadCandles({
      catalogue,
      market,
      timeframe,
      range: { fromMs, toMs },
      source: `download ${new URL(baseUrl).host}`,
      ...historyPages(remote, { market, timeframe, signal: stop.signal }),
      onProgress: ({ candles, share }) =>
        line.show({ what: `${market} candles-${timeframe}`, done: candles, share }),
    });
    line.end();
    if (options.json === true) console.log(JSON.stringify({ market, timeframe, ...report }));
    else console.log(summaryText(options, report));
  } catch (error) {
    line.end();
    if (error instanceof SarrafError && error.code === 'ABORTED') throw failed(error.message);
    throw error;
  } finally {
    clearTimeout(notice);
    await remote.close();
  }
}

function summaryText(
  { market, timeframe }: DownloadCommandOptions,
  report: Awaited<ReturnType<typeof downloadCandles>>,
): string {
  const { added, known, requests, missing } = report;
  const name = `${market} candles-${timeframe}`;
  const [first, last] = [missing[0], missing.at(-1)];
  if (first === undefined || last === undefined) return `${name}: the catalogue has all of it already`;
  const there = known === 0 ? '' : `, ${known.toLocaleString('en')} were there`;
  return `${name}: ${added.toLocaleString('en')} added${there}, in ${requests} requests, ${timeText(first.fromMs)} to ${timeText(last.toMs)}`;
}
