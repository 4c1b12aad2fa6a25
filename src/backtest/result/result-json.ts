import type { ByteWriter } from './byte-writer.ts';
import type { FinishedRun } from './finish-run.ts';
import { FILL_ROWS, ORDER_ROWS, TRIP_ROWS } from './result-rows.ts';
import { resultHeadSchema, type ResultHead } from './result-schema.ts';
import type { RowFormat } from './row-format.ts';

/** How the pieces of a result are set out: on lines of their own, or all on one. */
interface Layout {
  readonly head: string;
  readonly beforeList: string;
  readonly afterName: string;
  readonly beforeRow: string;
  readonly afterList: string;
  readonly end: string;
}

/** Writes a result as JSON, one row a line. */
export function writeResultJson(finished: FinishedRun, out: ByteWriter): void {
  const head = JSON.stringify(finished.head, null, 2);
  writePieces(finished, out, {
    head: head.slice(0, head.lastIndexOf('\n}')),
    beforeList: ',\n  ',
    afterName: ': ',
    beforeRow: '\n    ',
    afterList: '\n  ]',
    end: '\n}\n',
  });
}

/** The same on one line, with more fields in its head. */
export function writeResultLine(
  finished: FinishedRun,
  more: Readonly<Record<string, string | number | null>>,
  out: ByteWriter,
): void {
  const head = JSON.stringify({ ...finished.head, ...more });
  writePieces(finished, out, {
    head: head.slice(0, -1),
    beforeList: ',',
    afterName: ':',
    beforeRow: '',
    afterList: ']',
    end: '}\n',
  });
}

function writePieces({ run, trips }: FinishedRun, out: ByteWriter, layout: Layout): void {
  out.text(layout.head);
  writeList('trades', { rows: TRIP_ROWS, sources: trips, layout }, out);
  writeList('orders', { rows: ORDER_ROWS, sources: run.orders, layout }, out);
  writeList('fills', { rows: FILL_ROWS, sources: run.fills, layout }, out);
  out.text(layout.end);
}

function writeList<Source, Row>(
  name: string,
  list: {
    readonly rows: RowFormat<Source, Row>;
    readonly sources: readonly Source[];
    readonly layout: Layout;
  },
  out: ByteWriter,
): void {
  const { rows, sources, layout } = list;
  out.text(`${layout.beforeList}"${name}"${layout.afterName}[`);
  let before = layout.beforeRow;
  for (const source of sources) {
    out.text(before);
    rows.writeJson(source, out);
    before = `,${layout.beforeRow}`;
  }
  out.text(sources.length === 0 ? ']' : layout.afterList);
}

/** Reads the head of a result. Throws a ZodError where it is none of this version. */
export function parseResultHead(text: string): ResultHead {
  return resultHeadSchema.parse(JSON.parse(text));
}
