import { resultHeadSchema, type BacktestResult, type ResultHead } from './result-schema.ts';

/** Those lists of a result that grow with the run, in the order in which they are written. */
const LISTS = ['trades', 'orders', 'fills'] as const;

/** A result without its long lists. */
export function resultHead(result: BacktestResult): ResultHead {
  const { trades: _trades, orders: _orders, fills: _fills, ...head } = result;
  return head;
}

/**
 * A result as JSON text in pieces, one row a line. In one piece the rows of a long run would be more than a string can hold.
 */
export function* resultJson(result: BacktestResult): Generator<string> {
  const head = JSON.stringify(resultHead(result), null, 2);
  yield head.slice(0, head.lastIndexOf('\n}'));
  for (const list of LISTS) {
    yield `,\n  "${list}": [`;
    let isFirst = true;
    for (const row of result[list]) {
      yield `${isFirst ? '' : ','}\n    ${JSON.stringify(row)}`;
      isFirst = false;
    }
    yield isFirst ? ']' : '\n  ]';
  }
  yield '\n}\n';
}

/** Reads the head of a result. Throws a ZodError where it is none of this version. */
export function parseResultHead(text: string): ResultHead {
  return resultHeadSchema.parse(JSON.parse(text));
}
