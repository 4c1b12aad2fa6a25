import { Option, type Command } from 'commander';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import { exportFile } from '../../recording/export-file.ts';
import { folderTitle } from '../../recording/records.ts';
import { marketOption } from '../option-readers.ts';
import { asCommand } from '../as-command.ts';
import {
  dataCommand,
  rangeOption,
  timeframeOption,
  timeOption,
  folderOf,
  RECORD_KINDS,
  type DataOptions,
  type FolderOptions,
} from './data-options.ts';
import { ProgressLine } from './progress-line.ts';

interface Options extends DataOptions, FolderOptions {
  readonly from?: number;
  readonly to?: number;
  readonly force?: true;
}

const EXAMPLES = `  sarraf data export candles.csv --market BTCIRT --timeframe 1h
  sarraf data export trades.parquet --market BTCIRT --kind trades --from 2024-08-08 --to 2024-08-09`;

export function exportCommand(): Command {
  return dataCommand('export', {
    description:
      'Writes recordings to a file. Its name chooses the format: .csv, .csv.gz, .jsonl, .jsonl.gz or .parquet.',
    examples: EXAMPLES,
  })
    .argument('<file>', 'file to write')
    .requiredOption('--market <market>', 'market of the data', marketOption)
    .addOption(new Option('--kind <kind>', 'what').choices(RECORD_KINDS).default('candles'))
    .option('--timeframe <timeframe>', 'of the candles', timeframeOption)
    .option('--from <time>', 'from this time on', timeOption)
    .option('--to <time>', 'up to this time, which is not included', timeOption)
    .option('--force', 'replaces an existing file')
    .action(async (file: string, options: Options) => asCommand(async () => run(file, options)));
}

async function run(path: string, options: Options): Promise<void> {
  const key = folderOf(options);
  const line = new ProgressLine(options.json !== true);
  const onProgress = (done: number): void => line.show({ what: path, done, share: null });
  const mayReplace = options.force === true;
  const rows = await exportFile(openCatalogue(options.catalogue), {
    key,
    range: rangeOption(options),
    path,
    mayReplace,
    onProgress,
  });
  line.end();
  if (options.json === true) console.log(JSON.stringify({ file: path, rows }));
  else console.log(`${path}: ${rows.toLocaleString('en')} rows of ${folderTitle(key)}`);
}
