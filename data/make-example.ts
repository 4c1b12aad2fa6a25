import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimRecording } from '../src/daemon/run/finalize-beside.ts';
import { SarrafError } from '../src/domain/errors.ts';
import type { MarketSymbol } from '../src/domain/market-symbol.ts';
import { timeframeMs } from '../src/domain/candle.ts';
import { parseMarket } from '../src/exchange/market-names.ts';
import { Recorder } from '../src/recording/recorder.ts';
import { readExchangeConfig } from '../src/simulator-server/exchange-config.ts';
import { createEmbeddedVenue, type EmbeddedVenue } from '../src/venues/embedded-venue.ts';
import { statsCall, type VenueCall } from '../src/venues/port.ts';
import { VirtualTime } from '../src/virtual/virtual-time.ts';

/**
 * Makes the recording that ships with sarraf, `data/example`: an hour of three markets of the simulator, as
 * `sarraf record` makes it, and the candles of up to three days before. `npm run example` makes it again,
 * `npm run example -- --check` compares the shipped one with a new one. Both are the same to the byte as long
 * as the simulator's traders and DuckDB (package.json) stay as they are.
 */

const FOLDER = 'data/example';
const SEED = 13;
const START_MS = Date.UTC(2026, 0, 5, 12);
const HOUR_MS = 3_600_000;

/** A coin in tether and in rial, and tether in rial: what `triangle` needs. */
const MARKETS = ['BTCUSDT', 'BTCIRT', 'USDTIRT'] as MarketSymbol[];

/** The candles, with the time before the hour from which they are recorded. */
const CANDLES = [
  { timeframe: '1m', pastMs: 24 * HOUR_MS },
  { timeframe: '5m', pastMs: 72 * HOUR_MS },
  { timeframe: '1h', pastMs: 72 * HOUR_MS },
] as const;

/** How often each is asked for: seldom enough that the files stay small. */
const BOOKS_EVERY_MS = 3_000;
const TRADES_EVERY_MS = 6_000;
const STATS_EVERY_MS = 30_000;

/** A candle is settled a while after its end. */
const SETTLED_MS = 10_000;

/** An exchange that counts no requests, so that the recording has no gaps. */
function openExchange(): EmbeddedVenue {
  return createEmbeddedVenue({
    config: readExchangeConfig({ limits: { enabled: false } }),
    balances: {},
    seed: SEED,
    speed: 'max',
    replay: null,
    traded: [],
    limits: {},
    headroom: 0,
    startMs: START_MS,
  });
}

function stop(problem: string): never {
  throw new SarrafError('INVARIANT', problem);
}

/** Records into an empty folder. */
async function record(root: string): Promise<void> {
  const venue = openExchange();
  const { time, caller } = venue;
  if (!(time instanceof VirtualTime)) return stop('expected virtual time');
  const recorder = await Recorder.open({
    root,
    lockFile: claimRecording,
    source: `simulator, seed ${SEED}`,
    markets: MARKETS,
    life: 'example',
    beganMs: null,
    onProblem: stop,
    after: () => () => undefined,
  });
  const ask = (call: VenueCall): void =>
    caller.send(call, AbortSignal.timeout(60_000), {
      onEnd: ({ answer }) => {
        if (answer.outcome !== 'value') stop(`expected an answer to ${call.kind}, was ${JSON.stringify(answer)}`);
        recorder.apply(call, answer, time.now());
      },
      onError: (error) => stop(String(error)),
    });
  const repeat = (everyMs: number, calls: readonly VenueCall[]): void => {
    for (let atMs = START_MS; atMs <= START_MS + HOUR_MS; atMs += everyMs)
      time.at(atMs, () => calls.forEach(ask));
  };
  repeat(BOOKS_EVERY_MS, [{ kind: 'books' }]);
  repeat(TRADES_EVERY_MS, MARKETS.map((market) => ({ kind: 'public-trades', market })));
  repeat(STATS_EVERY_MS, [statsCall(MARKETS.map(parseMarket))]);
  const endMs = START_MS + HOUR_MS + SETTLED_MS;
  time.at(endMs, () => candleCalls(venue.profile.pageSizes.candles).forEach(ask));
  await time.run(endMs + 1);
  await recorder.close();
  await venue.close();
}

/** Pages of all candles up to the end, the oldest first. */
function candleCalls(pageSize: number): readonly VenueCall[] {
  return MARKETS.flatMap((market) =>
    CANDLES.flatMap(({ timeframe, pastMs }) => {
      const barMs = timeframeMs(timeframe);
      const bars = (pastMs + HOUR_MS) / barMs;
      return Array.from({ length: Math.ceil(bars / pageSize) }, (_, page): VenueCall => {
        const last = Math.min(bars, (page + 1) * pageSize);
        const toMs = START_MS - pastMs + last * barMs - 1;
        return { kind: 'candles', market, timeframe, toMs, count: last - page * pageSize };
      });
    }),
  );
}

/** What belongs to the recording: what manifests name, and the manifests. */
function filesOf(root: string): readonly string[] {
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return all.filter((path) => /^[A-Z]+\/.*(?:\.parquet|manifest\.json)$/.test(path)).toSorted();
}

/** Where two recordings differ, in sentences. */
function differences(made: string, shipped: string): readonly string[] {
  const paths = new Set([...filesOf(made), ...filesOf(shipped)]);
  return [...paths].flatMap((path) => {
    const [there, here] = [made, shipped].map((root) =>
      existsSync(join(root, path)) ? readFileSync(join(root, path)) : null,
    );
    if (there === null) return [`${path} is shipped and not made any more`];
    if (here === null || here === undefined) return [`${path} is made and not shipped`];
    return there?.equals(here) === true ? [] : [`${path} is made otherwise than it is shipped`];
  });
}

function ship(made: string): void {
  rmSync(FOLDER, { recursive: true, force: true });
  for (const path of filesOf(made)) cpSync(join(made, path), join(FOLDER, path));
}

const root = mkdtempSync(join(tmpdir(), 'sarraf-example-'));
try {
  await record(root);
  if (process.argv.includes('--check')) {
    const found = differences(root, FOLDER);
    for (const line of found) console.error(line);
    if (found.length > 0) console.error(`Run "npm run example" to ship what the simulator makes now.`);
    else console.log(`${FOLDER} is what the simulator makes.`);
    process.exitCode = found.length === 0 ? 0 : 1;
  } else {
    ship(root);
    console.log(`${filesOf(FOLDER).length} files written to ${FOLDER}`);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
