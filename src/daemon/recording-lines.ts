import { parseMarket } from '../domain/market-symbol.ts';
import type { RecordingSummary } from './recording.ts';

/** What was recorded in a sentence: `58 books, 12 trades and 6 statistics of BTCIRT`. */
export function recordedText({ markets }: RecordingSummary): string {
  if (markets.length === 0) return 'nothing';
  const parts = markets.map(({ market, kinds }) => {
    const { books, trades, stats } = kinds;
    return `${count(books.rows, 'books')}, ${count(trades.rows, 'trades')} and ${count(stats.rows, 'statistics')} of ${market}`;
  });
  return parts.join('; ');
}

/** What was recorded, and what to do with it. */
export function recordingLines(summary: RecordingSummary): readonly string[] {
  const { catalogue, rawReplies, failure } = summary;
  const lines = [`Recorded ${recordedText(summary)} in ${catalogue}.`];
  if (rawReplies > 0) lines.push(`${rawReplies.toLocaleString('en')} raw replies are in ${catalogue}/raw.`);
  if (failure !== null) lines.push(`RECORDING ENDED EARLY: ${failure}`);
  const at = `--catalogue ${JSON.stringify(catalogue)}`;
  lines.push(`  sarraf data list ${at}`, `  sarraf data verify ${at}`);
  const first = summary.markets.find(({ kinds }) => kinds.books.rows > 0);
  if (first !== undefined) {
    const cash = parseMarket(first.market).dst === 'rls' ? '1000000000' : '10000';
    const account = `--market ${first.market} --cash ${cash} --fee 0.1%`;
    lines.push(`  sarraf backtest market-maker --fidelity poll ${account} ${at}`);
  }
  return lines;
}

function count(rows: number, noun: string): string {
  return `${rows.toLocaleString('en')} ${noun}`;
}
