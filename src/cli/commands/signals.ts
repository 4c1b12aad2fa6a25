import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Command } from 'commander';
import { signalLineOf, deliveredSignals, type SignalLine, signalFileLines } from '../../backtest/signals.ts';
import { countText, oneLine } from '../../domain/money.ts';
import { clockText } from '../../domain/time-text.ts';
import { asWholeFile } from '../../recording/durable-file.ts';
import { wrongInput } from '../command-error.ts';
import { integerOption, refuseExisting, type DataFolderOptions } from '../option-readers.ts';
import { mirrorCommand, readMirror } from '../read-mirror.ts';
import { print, rowLines } from '../table.ts';

interface Options extends DataFolderOptions {
  readonly strategy?: string;
  readonly last?: number;
  readonly out?: string;
}

/** Maximum number of signals of a file; a backtest reads as many. */
const MOST_WRITTEN = 200_000;
const USUALLY_SHOWN = 50;

const EXAMPLES = `  sarraf signals
  sarraf signals --strategy trend --last 5 --json
  sarraf signals --out signals.csv
  sarraf backtest --config bot.yaml --signals signals.csv`;

const LONGEST_PAYLOAD = 60;

async function run(options: Options): Promise<void> {
  const { strategy = null, out, last = out === undefined ? USUALLY_SHOWN : MOST_WRITTEN } = options;
  const lines = readMirror(options, (reader) => reader.lines('signal', { strategy, last })).map(signalLineOf);
  if (out !== undefined) {
    await write(lines, out, options);
    return;
  }
  const nowMs = Date.now();
  print(options, { signals: lines }, () =>
    lines.length === 0
      ? ['No signals came.']
      : rowLines(lines, {
          'time (UTC)': ({ seenAtMs }) => clockText(seenAtMs, nowMs),
          strategy: (line) => line.strategy,
          signal: ({ name }) => oneLine(name),
          id: ({ id }) => oneLine(id),
          from: ({ source }) => oneLine(source),
          payload: ({ payload }) => oneLine(JSON.stringify(payload)).slice(0, LONGEST_PAYLOAD),
          outcome: ({ code, outcome }) => (code === 'repeated' ? `${outcome} before` : outcome),
          why: ({ reason }) => oneLine(reason ?? ''),
        }),
  );
}

/** Writes the delivered signals, for a backtest. */
async function write(lines: readonly SignalLine[], out: string, options: Options): Promise<void> {
  const format = extname(out).toLowerCase();
  if (format !== '.csv' && format !== '.jsonl')
    throw wrongInput(`expected a file that ends in .csv or .jsonl for --out, was ${out}`);
  refuseExisting(out);
  const signals = deliveredSignals(lines);
  const text = [...signalFileLines(signals, format === '.csv' ? 'csv' : 'jsonl')].join('');
  await asWholeFile(
    out,
    (draft) => writeFileSync(draft, text),
    () => refuseExisting(out),
  );
  print(options, { file: out, signals: signals.length }, () => [
    `${countText(signals.length, 'signal')} to ${out}`,
  ]);
}

export function signalsCommand(): Command {
  return mirrorCommand('signals', {
    description: 'Lists the signals that came from outside and their outcome, newest last.',
    examples: EXAMPLES,
  })
    .option('--strategy <name>', 'only of this strategy')
    .option(
      '--last <count>',
      'only so many, the newest (default: 50; with --out all)',
      integerOption(1, MOST_WRITTEN),
    )
    .option('--out <file>', 'writes those that were told as a file for backtests, CSV or .jsonl')
    .action(run);
}
