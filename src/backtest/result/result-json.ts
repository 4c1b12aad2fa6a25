import { resultHeadSchema, type BacktestResult, type ResultHead } from './result-schema.ts';

/** Those lists of a result that grow with the run, in the order in which they are written. */
const LISTS = ['trades', 'orders', 'fills'] as const;

/** A result without its long lists. */
export function resultHead(result: BacktestResult): ResultHead {
  const { trades: _trades, orders: _orders, fills: _fills, ...head } = result;
  return head;
}

/** How the pieces of a result are set out: on lines of their own, or all on one. */
interface Layout {
  readonly head: string;
  readonly beforeList: string;
  readonly afterName: string;
  readonly beforeRow: string;
  readonly afterList: string;
  readonly end: string;
}

/**
 * A result as JSON text in pieces, one row a line. In one piece the rows of a long run would be more than a
 * string can hold.
 */
export function resultJson(result: BacktestResult): Generator<string> {
  const head = JSON.stringify(resultHead(result), null, 2);
  return pieces(result, {
    head: head.slice(0, head.lastIndexOf('\n}')),
    beforeList: ',\n  ',
    afterName: ': ',
    beforeRow: '\n    ',
    afterList: '\n  ]',
    end: '\n}\n',
  });
}

/** The same on one line, with more fields in its head. */
export function resultLine(
  result: BacktestResult,
  more: Readonly<Record<string, string | null>>,
): Generator<string> {
  const head = JSON.stringify({ ...resultHead(result), ...more });
  return pieces(result, {
    head: head.slice(0, -1),
    beforeList: ',',
    afterName: ':',
    beforeRow: '',
    afterList: ']',
    end: '}\n',
  });
}

function* pieces(result: BacktestResult, layout: Layout): Generator<string> {
  const { head, beforeList, afterName, beforeRow, afterList, end } = layout;
  yield head;
  for (const list of LISTS) {
    yield `${beforeList}"${list}"${afterName}[`;
    let isFirst = true;
    for (const row of result[list]) {
      yield `${isFirst ? '' : ','}${beforeRow}${JSON.stringify(row)}`;
      isFirst = false;
    }
    yield isFirst ? ']' : afterList;
  }
  yield end;
}

/** Reads the head of a result. Throws a ZodError where it is none of this version. */
export function parseResultHead(text: string): ResultHead {
  return resultHeadSchema.parse(JSON.parse(text));
}

/**
 * Text is handed on in pieces of about this many characters: longer ones outlive the young part of the heap,
 * and to be moved costs more than a write.
 */
const PIECE = 65_536;

/** Many short texts as fewer long ones, so that each write is worth its while and memory is that of one. */
export function* joinedPieces(parts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const part of parts) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
