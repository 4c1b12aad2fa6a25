import type { CandleColumns } from '../../domain/candle-columns.ts';

/** A copy of bars that threads see without copying it again. Nobody writes to it. */
export function sharedColumns(columns: CandleColumns): CandleColumns {
  const { openTimeMs, open, high, low, close, volume, length } = columns;
  const shared = (column: Float64Array): Float64Array => {
    const copy = new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
    copy.set(column.subarray(0, length));
    return copy;
  };
  return {
    ...columns,
    openTimeMs: shared(openTimeMs),
    open: shared(open),
    high: shared(high),
    low: shared(low),
    close: shared(close),
    volume: shared(volume),
  };
}
