import type { ByteWriter } from './byte-writer.ts';
import type { FinishedRun } from './finish-run.ts';
import { resultHeadSchema, type ResultHead } from './result-schema.ts';
import { FILL_TABLE, LOCK_TABLE, MEMBER_TABLE, ORDER_TABLE, TRIP_TABLE } from './result/result-tables.ts';

/** Layout of the pieces of a result: on lines of their own, or all on one. */
interface Layout {
  readonly head: string;
  readonly beforeTable: string;
  readonly afterName: string;
  readonly beforeColumn: string;
  readonly afterTable: string;
  readonly end: string;
}

/** Writes a result as JSON, one column of a table a line. */
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

/** The same on one line, with more fields in its head. */
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

/** Reads the head of a result. Throws a ZodError where it is none of this version. */
export function parseResultHead(text: string): ResultHead {
  return resultHeadSchema.parse(JSON.parse(text));
}
