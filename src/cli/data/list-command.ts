import type { Command } from 'commander';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import { anchorIn, anchorText } from '../../domain/candle.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { Catalogue } from '../../recording/catalogue.ts';
import { folderName, type FolderKey } from '../../recording/records.ts';
import { anchorsOf, type Manifest } from '../../recording/manifest.ts';
import { timeText } from '../../recording/read-rows.ts';
import { failed } from '../command-error.ts';
import { rowLines } from '../table.ts';
import { asCommand } from '../as-command.ts';
import { dataCommand, type DataOptions } from './data-options.ts';

const EXAMPLES = `  sarraf data list
  sarraf data list --catalogue data/catalogue --json`;

/** Sources that are named in the table. */
const MOST_SOURCES = 3;

interface Summary {
  readonly market: string;
  readonly folder: string;
  /** Start of the candles, such as `Asia/Tehran`; null for all other data. */
  readonly anchor: string | null;
  readonly rows: number;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly files: number;
  readonly bytes: number;
  readonly gaps: number;
  readonly sources: readonly string[];
}

export function listCommand(): Command {
  return dataCommand('list', {
    description: 'Lists the recordings in the catalogue.',
    examples: EXAMPLES,
  }).action(async (options: DataOptions) => asCommand(() => list(options)));
}

function list(options: DataOptions): void {
  // A folder whose first import was refused is there and holds nothing.
  const catalogue = openCatalogue(options.catalogue);
  const damaged: string[] = [];
  const summaries = catalogue
    .keys()
    .flatMap((key) => summaryOf(catalogue, key, damaged) ?? [])
    .filter(({ rows }) => rows > 0);
  if (options.json === true)
    console.log(JSON.stringify({ catalogue: options.catalogue, recordings: summaries }));
  else if (summaries.length === 0) console.log(`No recordings in ${options.catalogue}.`);
  else for (const line of summaryLines(summaries)) console.log(line);
  if (damaged.length > 0) throw failed(damaged.join('\n'));
}

/** A folder that can not be read does not hide the others. */
function summaryOf(catalogue: Catalogue, key: FolderKey, damaged: string[]): Summary | null {
  try {
    const manifest = catalogue.manifest(key);
    return manifest === null ? null : summarized(key, manifest);
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'DATA_UNUSABLE') throw error;
    damaged.push(error.message);
    return null;
  }
}

function summarized(key: FolderKey, manifest: Manifest): Summary {
  const { partitions, gaps } = manifest;
  return {
    market: key.market,
    folder: folderName(key),
    anchor:
      key.kind === 'candles' ? anchorText(anchorIn(anchorsOf(manifest, key.timeframe), key.timeframe)) : null,
    rows: partitions.reduce((sum, { rows }) => sum + rows, 0),
    fromMs: partitions[0]?.fromMs ?? null,
    toMs: partitions.at(-1)?.toMs ?? null,
    files: partitions.length,
    bytes: partitions.reduce((sum, { bytes }) => sum + bytes, 0),
    gaps: gaps.length,
    sources: [...new Set(partitions.flatMap(({ sources }) => sources))],
  };
}

const summaryLines = (summaries: readonly Summary[]): readonly string[] =>
  rowLines(summaries, {
    market: ({ market }) => market,
    what: ({ folder, anchor }) => (anchor === null || anchor === 'UTC' ? folder : `${folder} (${anchor})`),
    '>rows': ({ rows }) => rows.toLocaleString('en'),
    'from (UTC)': ({ fromMs }) => (fromMs === null ? '' : timeText(fromMs)),
    'to (UTC)': ({ toMs }) => (toMs === null ? '' : timeText(toMs)),
    '>files': ({ files }) => String(files),
    '>MB': ({ bytes }) => (bytes / 1e6).toFixed(1),
    source: ({ sources }) =>
      sources.slice(0, MOST_SOURCES).join(', ') +
      (sources.length > MOST_SOURCES ? ` and ${sources.length - MOST_SOURCES} more` : ''),
  });
