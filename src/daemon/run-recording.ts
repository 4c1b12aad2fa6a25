import type { OperatorOptions } from './run/operator.ts';
import { otherMarketOf } from '../domain/market-symbol.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { SarrafError } from '../domain/errors.ts';
import type { BotConfig } from './create-bot-config.ts';
import type { Recording, RecordingSummary } from './run/recording.ts';
import { mirrorName } from '../mirror/mirror-path.ts';
import { writeSessionFile } from './session-file.ts';
import { notify, type Screen } from './run/screen.ts';

/**
 * Describes the recorded data in a sentence: `58 books, 12 trades and 6 statistics of BTCIRT`, and bars if
 * there are any.
 */
function recordedText({ markets }: RecordingSummary): string {
  if (markets.length === 0) return 'nothing';
  const parts = markets.map(({ market, kinds }) => {
    const { books, trades, stats, candles } = kinds;
    const counts = [
      count(books.rows, 'books'),
      count(trades.rows, 'trades'),
      count(stats.rows, 'statistics'),
    ];
    if (candles.rows > 0) counts.push(count(candles.rows, 'bars'));
    return `${counts.slice(0, -1).join(', ')} and ${counts.at(-1)} of ${market}`;
  });
  return parts.join('; ');
}

/** Describes the recorded data and its uses, as commands of `program`. */
export function recordingLines(summary: RecordingSummary, program = 'sarraf'): readonly string[] {
  const { catalogue, rawReplies, failure } = summary;
  const lines = [`Recorded ${recordedText(summary)} in ${catalogue}.`];
  if (rawReplies > 0) lines.push(`${rawReplies.toLocaleString('en')} raw replies are in ${catalogue}/raw.`);
  if (failure !== null) lines.push(`RECORDING ENDED EARLY: ${failure}`);
  const at = `--catalogue ${JSON.stringify(catalogue)}`;
  lines.push(`  ${program} data list ${at}`, `  ${program} data verify ${at}`);
  const withBooks = summary.markets.find(
    ({ kinds, market }) => kinds.books.rows > 0 && otherMarketOf(market) === null,
  );
  if (withBooks !== undefined) {
    lines.push(`  ${program} backtest market-maker --fidelity poll ${accountOf(withBooks)} ${at}`);
  }
  const withBars = summary.markets.find(({ timeframes }) => timeframes.length > 0);
  if (withBars !== undefined) {
    lines.push(
      `  ${program} backtest ma-cross --timeframe ${withBars.timeframes[0]} ${accountOf(withBars)} ${at}`,
    );
  }
  return lines;
}

function accountOf({ market }: RecordingSummary['markets'][number]): string {
  const cash = parseMarket(market).quote === 'rls' ? '1000000000' : '10000';
  return `--market ${market} --cash ${cash} --fee 0.1%`;
}

function count(rows: number, noun: string): string {
  return `${rows.toLocaleString('en')} ${noun}`;
}

/**
 * Time between two polls of a book from which its recording has a gap, in ms, at the usual interval of polls.
 */
const LONGEST_PAUSE_MS = 60_000;

/** Parts of a run that the recording needs at its beginning. */
type BeginningOfRun = Pick<OperatorOptions, 'bot' | 'venue' | 'config' | 'mirror'>;

/** Creates the recording of a run; null if none is configured. */
export async function createRecording({ record }: BotConfig, screen: Screen): Promise<Recording | null> {
  if (record === null) return null;
  const { Recording: Recorded } = await import('./run/recording.ts');
  return new Recorded({ ...record, onProblem: (message) => notify(screen, { level: 'error', message }) });
}

/**
 * Begins to record what the bot will see. A folder that is in use, or that cannot be written to, stops no bot
 * from trading: it is reported.
 */
export async function beginRecording(
  recording: Recording,
  of: BeginningOfRun & { readonly screen: Screen },
): Promise<void> {
  const { bot, venue, config, screen, mirror } = of;
  const isEmbedded = config.mode === 'embedded';
  const others = new Set(bot.engine.instances.flatMap((one) => one.others.map(({ market }) => market)));
  try {
    await recording.begin({
      markets: [...[...bot.engine.markets.all()].map(({ market }) => market.symbol), ...others],
      source: sourceOf(config),
      beganMs: isEmbedded ? venue.time.now() : null,
      longestPauseMs: LONGEST_PAUSE_MS * venue.pollStretch,
    });
    recording.beginEvents(config.data.folder, () =>
      writeSessionFile(config, {
        beganMs: venue.time.now(),
        pollStretch: venue.pollStretch,
        mirror: mirrorName(config.mode),
        markets: [...bot.engine.markets.all()].map(({ market }) => market),
        others: venue.profile.others ?? new Map(),
        state: mirror.load(),
      }),
    );
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'DATA_UNUSABLE') throw error;
    notify(screen, { level: 'error', message: `recording: nothing is recorded: ${error.message}` });
  }
}

function sourceOf({ mode, embedded, exchange, paper }: BotConfig): string {
  if (mode === 'embedded') return `embedded exchange, ${embedded.replay ?? `seed ${embedded.seed}`}`;
  return (mode === 'paper' ? paper.baseUrl : exchange.baseUrl) ?? mode;
}

/** Reports what was recorded, once all of it is in its final place. */
export async function endRecording(
  recording: Recording,
  of: {
    readonly config: BotConfig;
    readonly json: boolean;
    readonly write: (line: string) => void;
    readonly screen: Screen;
    /** Command that runs sarraf here, for the suggestion. */
    readonly program?: string;
  },
): Promise<void> {
  await recording.close();
  const summary = recording.summary();
  if (of.json || of.config.mode !== 'embedded') {
    of.screen.log('recorded', `recorded ${recordedText(summary)}`, { ...summary });
  } else ['', ...recordingLines(summary, of.program)].forEach(of.write);
}
