import { InvalidArgumentError, Option, type Command } from 'commander';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { parseUnits, type Units } from '../../domain/money.ts';
import type { Timeframe } from '../../domain/candle.ts';
import { folderName, folderTitle, type FolderKey, type RecordKind } from '../../recording/records.ts';
import { noneThere } from '../../recording/read-rows.ts';
import { verifyFolder, type VerifyReport } from '../../recording/verify-folder.ts';
import { failed, wrongInput, asCommand } from '../command-error.ts';
import { integerOption, marketOption } from '../option-readers.ts';
import {
  dataCommand,
  rangeOption,
  timeframeOption,
  timeOption,
  RECORD_KINDS,
  type DataOptions,
} from './data-options.ts';
import { print } from '../table.ts';

interface Options extends DataOptions {
  readonly market?: MarketSymbol;
  readonly kind?: RecordKind;
  readonly timeframe?: Timeframe;
  readonly from?: number;
  readonly to?: number;
  readonly priceStep?: Units;
  readonly bookGap: number;
  readonly all?: true;
}

const EXAMPLES = `  sarraf data verify
  sarraf data verify --market BTCIRT --kind candles --price-step 10`;

/** Maximum number of findings of a folder that are shown without `--all`. */
const MOST_SHOWN = 50;

export function verifyCommand(): Command {
  return dataCommand('verify', {
    description:
      'Looks for damaged files, gaps, duplicates, wrong order, impossible prices, and shifts of the time zone. Ends with 1 if it finds something.',
    examples: EXAMPLES,
  })
    .option('--market <market>', 'only this market', marketOption)
    .addOption(new Option('--kind <kind>', 'only this kind').choices(RECORD_KINDS))
    .option('--timeframe <timeframe>', 'only candles of this timeframe', timeframeOption)
    .option('--from <time>', 'from this time on', timeOption)
    .option('--to <time>', 'up to this time', timeOption)
    .option('--price-step <step>', 'price step (default: found by the decimals of prices)', stepOption)
    .option('--book-gap <seconds>', 'longest time without a book', integerOption(1, 86_400), 60)
    .option('--all', 'shows all findings, not only the first of each folder')
    .action(async (options: Options) => asCommand(async () => verify(options)));
}

function stepOption(text: string): Units {
  try {
    const step = parseUnits(text);
    if (step > 0n) return step;
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('expected a positive decimal with at most ten decimals.');
}

async function verify(options: Options): Promise<void> {
  const catalogue = openCatalogue(options.catalogue);
  const keys = catalogue.keys().filter((key) => isWanted(key, options));
  if (keys.length === 0) {
    throw wrongInput(
      `expected recordings to verify in ${options.catalogue}, found none; see "sarraf data list"`,
    );
  }
  const range = rangeOption(options);
  const reports: VerifyReport[] = [];
  for (const key of keys) {
    const report = await verifyFolder(catalogue, key, {
      range,
      priceStep: options.priceStep ?? null,
      gapMs: options.bookGap * 1_000,
    });
    reports.push(report);
    if (report.rows === 0 && report.findings.count === 0) continue;
    if (options.json !== true)
      for (const line of reportLines(report, options.all === true)) console.log(line);
  }
  if (reports.every(({ rows, findings }) => rows === 0 && findings.count === 0)) {
    const [first] = keys;
    if (first !== undefined) throw noneThere(options.catalogue, first, range);
  }
  const count = reports.reduce((sum, { findings }) => sum + findings.count, 0);
  print(options, { findings: count, folders: reports.map(reportJson) }, () => null);
  if (count > 0) throw failed(`${count} findings in ${options.catalogue}`);
}

function isWanted(key: FolderKey, { market, kind, timeframe }: Options): boolean {
  return (
    (market === undefined || key.market === market) &&
    (kind === undefined || key.kind === kind) &&
    (timeframe === undefined || (key.kind === 'candles' && key.timeframe === timeframe))
  );
}

function reportJson({ key, rows, findings, leftOvers }: VerifyReport): object {
  const { market } = key;
  return {
    market,
    folder: folderName(key),
    rows,
    counts: findings.byKind(),
    findings: findings.listed,
    leftOvers,
  };
}

function reportLines({ key, rows, findings, leftOvers }: VerifyReport, isAll: boolean): string[] {
  const title = `${folderTitle(key)}: ${rows.toLocaleString('en')} rows`;
  const left =
    leftOvers.length === 0
      ? ''
      : `, ${leftOvers.length} files left by a killed writer, which the next one removes`;
  if (findings.count === 0) return [`${title}, nothing found${left}`];
  const kinds = Object.entries(findings.byKind()).map(([kind, count]) => `${kind} ${count}`);
  const shown = isAll ? findings.listed : findings.listed.slice(0, MOST_SHOWN);
  const lines = [
    `${title}, found: ${kinds.join(', ')}${left}`,
    ...shown.map(({ kind, text }) => `  ${kind}: ${text}`),
  ];
  const more = findings.count - shown.length;
  if (more > 0) lines.push(`  and ${more} more${isAll ? '' : '; --all shows them'}`);
  return lines;
}
