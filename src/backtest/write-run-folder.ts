import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SarrafError, dataUnusable } from '../domain/errors.ts';
import type { Language } from '../language/locale.ts';
import { reportHtml } from './report/report-html.ts';
import { type ByteWriter, writeBytes } from './byte-writer.ts';
import type { FinishedRun } from './finish-run.ts';
import { RUN_FILE, writeRunFile } from './read-run-folder.ts';
import type { ResultHead } from './result-schema.ts';

/** Prefix of a folder's name while it is written; readers skip names that begin with a dot. */
const UNFINISHED = '.unfinished-';

const ABANDONED_MS = 86_400_000;

/** Maximum number of folders with the same name: more runs of one configuration a second are wrong. */
const MOST_OF_ONE_NAME = 100;

const FILES: readonly (readonly [
  name: string,
  write: (finished: FinishedRun, out: ByteWriter, language: Language) => void,
])[] = [
  [RUN_FILE, writeRunFile],
  ['summary.json', ({ head }, out) => out.text(`${JSON.stringify(head, null, 2)}\n`)],
  ['report.html', (finished, out, language) => out.text(reportHtml(finished, language))],
];

/**
 * Stores a run in a folder `<utc time>-<name>-<hash of its configuration>` under `root`, with
 * `result.json.zst`, `summary.json` (the result without tables), and `report.html` in the given language.
 * Returns its path. The folder appears only when it is complete, and never replaces another one. Throws
 * `DATA_UNUSABLE` where it cannot be written.
 */
export function writeRunFolder(root: string, finished: FinishedRun, language: Language = 'en'): string {
  try {
    mkdirSync(root, { recursive: true });
    dropAbandoned(root);
    const unfinished = join(root, `${UNFINISHED}${randomUUID()}`);
    mkdirSync(unfinished);
    try {
      for (const [name, write] of FILES)
        writeBytes(join(unfinished, name), (out) => write(finished, out, language));
      return place(unfinished, join(root, folderName(finished.head)));
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    if (error instanceof SarrafError || !isSystemError(error)) throw error;
    throw dataUnusable(
      `expected to store the run under ${root}, found ${error.message}: make room there, or choose another folder with --data`,
      { cause: error },
    );
  }
}

/** Removes unfinished folders of killed runs once they are a day old; younger ones may still be in use. */
function dropAbandoned(root: string): void {
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    const isOld = name.startsWith(UNFINISHED) && Date.now() - statSync(path).mtimeMs > ABANDONED_MS;
    if (isOld) rmSync(path, { recursive: true, force: true });
  }
}

/** Returns a run's folder name, such as `20240131T120000Z-ma-cross-btcusdt-1a2b3c4d`; it sorts by time. */
function folderName({ createdAtMs, name, config, fidelity, fromMs, toMs }: ResultHead): string {
  const time = new Date(createdAtMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  const hash = createHash('sha256')
    .update(JSON.stringify([config, fidelity, name, fromMs, toMs]))
    .digest('hex');
  return `${time}-${slug === '' ? 'backtest' : slug}-${hash.slice(0, 8)}`;
}

/** Renames a finished folder to its name, with a number added if that is taken. */
function place(unfinished: string, wanted: string): string {
  for (let number = 1; number <= MOST_OF_ONE_NAME; number += 1) {
    const path = number === 1 ? wanted : `${wanted}-${number}`;
    try {
      renameSync(unfinished, path);
      return path;
    } catch (error) {
      if (!isSystemError(error) || (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST')) throw error;
    }
  }
  throw dataUnusable(`expected at most ${MOST_OF_ONE_NAME} runs named ${wanted}; remove some`);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
