import { countText } from '../../domain/money.ts';
import { openRemoteExchange, type RemoteExchange } from '../../venues/live-venue.ts';
import { closingAsync } from '../../domain/closing.ts';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import type { Override } from '../../daemon/read-bot-config.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { Timeframe, Candle } from '../../domain/candle.ts';
import { downloadCandles, type FetchPage } from '../../recording/download-candles.ts';
import { timeText } from '../../recording/read-rows.ts';
import { failed, wrongInput } from '../command-error.ts';
import { readConfig } from '../read-config.ts';
import { untilStopped } from '../end-signal.ts';
import type { DataOptions } from './data-options.ts';
import { ProgressLine } from './progress-line.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../budget/process-owner.ts';
import { exchangeAskedMs } from '../../venues/port.ts';
import { sendRequest } from '../../venues/venue-caller.ts';
import { print } from '../table.ts';

/** Options of `sarraf data download`; times in ms. */
export interface DownloadCommandOptions extends DataOptions {
  readonly market: MarketSymbol;
  readonly timeframe: Timeframe;
  readonly from: number;
  readonly to?: number;
  readonly address?: string;
  readonly config?: string;
}

/** Time before a wait is reported, in ms. */
const QUIET_FOR_MS = 2_000;

/** Downloads candles for `sarraf data download`. Throws a `CommandError` for an expected failure. */
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
  if (baseUrl === null)
    throw wrongInput(
      'expected an exchange to load from: name it with --address, or as exchange.baseUrl or paper.baseUrl of --config',
    );
  const catalogue = openCatalogue(options.catalogue);
  const { market, timeframe, from: fromMs, to: toMs = Date.now() } = options;
  // Candles are public: no log-in is needed, and none of the account's budgets is touched.
  await using remote = closingAsync(
    await openRemoteExchange({ config, baseUrl, credentials: null, isGuest: true, onProblem: console.error }),
  );
  const stop = new AbortController();
  void untilStopped().then(() => {
    stop.abort();
    return remote.limiter.close();
  });
  using line = new ProgressLine(options.json !== true);
  using _notice = setTimeout(() => {
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
    print(options, { market, timeframe, ...report }, () => summaryText(options, report));
  } catch (error) {
    if (error instanceof SarrafError && error.code === 'ABORTED') throw failed(error.message);
    throw error;
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
  return `${name}: ${added.toLocaleString('en')} added${there}, in ${countText(requests, 'request')}, ${timeText(first.fromMs)} to ${timeText(last.toMs)}`;
}

/** Longest wait for a page, in ms: it may have to wait for a lockout to end. */
const WITHIN_MS = 86_400_000;
/** Maximum number of requests for one page. The waits in between are 1 s, 2 s, 4 s, 8 s. */
const MOST_ATTEMPTS = 5;
const FIRST_WAIT_MS = 1_000;

/**
 * Reads pages of candles of an exchange under the limits that all processes of this machine share, with lower
 * priority than any request of a bot. A missing answer is requested again. Throws `INVALID_MARKET` for a
 * market that the exchange lacks, `REFUSED` for other refusals, `ABORTED` when stopped, and the error of the
 * last attempt. `nowMs`: the exchange's time, which each answer shows.
 */
function historyPages(
  remote: RemoteExchange,
  of: { readonly market: MarketSymbol; readonly timeframe: Timeframe; readonly signal: AbortSignal },
): { readonly fetchPage: FetchPage; readonly nowMs: () => number } {
  const { time } = remote;
  let aheadMs = 0;
  const fetchPage: FetchPage = async ({ toMs, count }) => {
    for (let attempt = 1; ; attempt += 1) {
      const { answer, sentAtMs } = await sendRequest(
        {
          call: { kind: 'candles', market: of.market, timeframe: of.timeframe, toMs, count },
          requestClass: 'backfill',
          dedupe: null,
          expiresAtMs: time.now() + WITHIN_MS,
        },
        { ...remote, canLogIn: false, engineMs: () => time.now(), limiterMs: monotonicMs },
      );
      if (answer.outcome === 'value') {
        const atMs = time.now();
        const askedAtMs = sentAtMs ?? atMs;
        aheadMs = askedAtMs - exchangeAskedMs(answer.saidAtMs, { askedAtMs, atMs });
        return answer.value as readonly Candle[];
      }
      if (of.signal.aborted)
        throw new SarrafError(
          'ABORTED',
          'the download was ended; what came is in the catalogue, and the same command goes on from there',
        );
      if (answer.outcome === 'refused' && answer.code === 'HistoryError')
        throw new SarrafError(
          'INVALID_MARKET',
          `the exchange refuses candles of ${of.market} of ${of.timeframe}: ${answer.message}: name a market and a timeframe that it has`,
        );
      if (answer.outcome === 'refused')
        throw new SarrafError(
          'REFUSED',
          `the exchange refuses candles of ${of.market}: ${answer.code}: ${answer.message}`,
        );
      const why = answer.outcome === 'failed' ? answer.message : `it was not sent: ${answer.reason}`;
      if (attempt >= MOST_ATTEMPTS) {
        const code = answer.outcome === 'failed' ? answer.code : 'TOO_MANY_CALLS';
        throw new SarrafError(
          code,
          `no answer for candles of ${of.market} in ${attempt} attempts: ${why}. The same command goes on from there`,
        );
      }
      await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  };
  return { fetchPage, nowMs: () => time.now() - aheadMs };
}

/** Returns why the first page may be slow, by the ledger: a full window or a lockout. Null if neither. */
function waitText({ ledger, caller }: RemoteExchange, market: MarketSymbol): string | null {
  const budget = caller.budgetOf({ kind: 'candles', market, timeframe: '1m', toMs: 0, count: 1 });
  const row = ledger.rows().find((other) => other.budget === budget);
  const waitMs = Math.max(row?.fullForMs ?? 0, row?.lockedForMs ?? 0);
  if (waitMs <= 0) return null;
  const why =
    (row?.lockedForMs ?? 0) > 0
      ? 'the exchange has locked this address out'
      : 'what was sent before is not known, so the limits count as used up';
  return `waiting ${Math.ceil(waitMs / 1_000)} s before the first request: ${why}; see "sarraf budget" and "sarraf ledger --help"`;
}
