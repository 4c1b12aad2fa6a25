import { parseMarket } from '../exchange/market-names.ts';
import type { MarketRecording } from '../recording/recorder.ts';

/** Amount and place of the recorded data, for people and programs. */
export interface RecordingSummary {
  readonly catalogue: string;
  readonly markets: readonly MarketRecording[];
  /** Number of raw replies that were stored. */
  readonly rawReplies: number;
  /** Reason for an early end; null if it did not end early. */
  readonly failure: string | null;
}

/**
 * Describes the recorded data in a sentence: `58 books, 12 trades and 6 statistics of BTCIRT`, and bars if
 * there are any.
 */
export function recordedText({ markets }: RecordingSummary): string {
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
  const withBooks = summary.markets.find(({ kinds }) => kinds.books.rows > 0);
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
