import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SarrafError } from '../domain/errors.ts';
import { RESULT_SCHEMA, type ResultHead, resultHeadSchema } from './result-schema.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { FinishedRun } from './finish-run.ts';
import { FILL_TABLE, LOCK_TABLE, MEMBER_TABLE, ORDER_TABLE, TRIP_TABLE } from './result/result-tables.ts';

/** Stored run: the name of its folder, its path, and its result without the tables. */
export interface StoredRun {
  readonly run: string;
  readonly path: string;
  readonly result: ResultHead;
}

/**
 * Returns the names of the folders under `root` that contain a finished run, oldest first; empty if `root`
 * does not exist.
 */
function runNames(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .filter((name) => existsSync(join(root, name, 'summary.json')))
    .toSorted();
}

/**
 * Returns the newest `most` runs under `root`, oldest first. `unreadable` has one sentence for each run that
 * cannot be read.
 */
export function listRuns(
  root: string,
  most: number,
): { readonly runs: readonly StoredRun[]; readonly unreadable: readonly string[] } {
  const runs: StoredRun[] = [];
  const unreadable: string[] = [];
  for (const name of runNames(root).slice(-most)) {
    try {
      runs.push(readRun(join(root, name)));
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      unreadable.push(error.message);
    }
  }
  return { runs, unreadable };
}

/**
 * Returns the run that is named by `last`, a folder name, a unique part of one, or a path. Throws
 * `INVALID_OPTIONS` where none or several match, `INVALID_FILE` where it cannot be read.
 */
export function findRun(root: string, wanted: string): StoredRun {
  const names = runNames(root);
  const exact = names.filter((name) => name === wanted);
  const found =
    exact.length > 0
      ? exact
      : wanted === 'last'
        ? names.slice(-1)
        : names.filter((name) => name.includes(wanted));
  const [only, another] = found;
  if (only !== undefined && another === undefined) return readRun(join(root, only));
  if (only === undefined && existsSync(join(wanted, 'summary.json'))) return readRun(wanted);
  const expected = `expected ${wanted === 'last' ? 'a run' : `one run named like "${wanted}"`} under ${root}`;
  throw new SarrafError(
    'INVALID_OPTIONS',
    only === undefined
      ? `${expected}, found none; \`sarraf report list\` shows the stored ones`
      : `${expected}, there are ${found.length}: ${found.slice(0, 5).join(', ')}`,
  );
}

function readRun(path: string): StoredRun {
  const file = join(path, 'summary.json');
  try {
    return {
      run: basename(path),
      path: join(dirname(path), basename(path)),
      result: parseResultHead(readFileSync(file, 'utf8')),
    };
  } catch (error) {
    throw new SarrafError(
      'INVALID_FILE',
      `expected a result of schema ${RESULT_SCHEMA} in ${file}, which is not: run the backtest again, or read it with the version that wrote it`,
      { cause: error },
    );
  }
}

/** Texts between the pieces of a result: each piece on its own lines, or all on one line. */
interface Layout {
  readonly head: string;
  readonly beforeTable: string;
  readonly afterName: string;
  readonly beforeColumn: string;
  readonly afterTable: string;
  readonly end: string;
}

/** Writes a result as JSON, with one table column on each line. */
export function writeResultJson(finished: FinishedRun, out: ByteWriter): void {
  const head = JSON.stringify(finished.head, null, 2);
  writePieces(finished, out, {
    head: head.slice(0, head.lastIndexOf('\n}')),
    beforeTable: ',\n  ',
    afterName: ': ',
    beforeColumn: '\n    ',
    afterTable: '\n  ',
    end: '\n}\n',
  });
}

/** Writes a result as one line of JSON, with more fields in its head. */
export function writeResultLine(
  finished: FinishedRun,
  more: Readonly<Record<string, string | number | null>>,
  out: ByteWriter,
): void {
  const head = JSON.stringify({ ...finished.head, ...more });
  writePieces(finished, out, {
    head: head.slice(0, -1),
    beforeTable: ',',
    afterName: ':',
    beforeColumn: '',
    afterTable: '',
    end: '}\n',
  });
}

function writePieces({ run, trips }: FinishedRun, out: ByteWriter, layout: Layout): void {
  const { beforeTable, afterName, beforeColumn: before, afterTable: after } = layout;
  const name = (table: string): void => out.text(`${beforeTable}"${table}"${afterName}`);
  out.text(layout.head);
  name('trades');
  TRIP_TABLE.writeJson(trips, { before, after }, out);
  name('orders');
  ORDER_TABLE.writeJson(run.orders, { before, after }, out);
  name('fills');
  FILL_TABLE.writeJson(run.fills, { before, after }, out);
  name('lockSpans');
  LOCK_TABLE.writeJson(run.locks.records, { before, after }, out);
  name('members');
  MEMBER_TABLE.writeJson(run.members.records, { before, after }, out);
  out.text(layout.end);
}

/** Reads the head of a result. Throws a ZodError if it is not of this schema version. */
export function parseResultHead(text: string): ResultHead {
  return resultHeadSchema.parse(JSON.parse(text));
}
