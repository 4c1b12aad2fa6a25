import type { StageRows } from '../staged-rows.ts';
import type { ColumnPlaces } from './column-places.ts';
import type { BarPlan } from './detect-timeframe.ts';
import type { FileRow, RowFile } from './file-row.ts';
import type { ImportTableOptions } from './import-table-options.ts';
import { isCsv } from './open-table.ts';
import { stageCsv } from './stage-csv.ts';
import { widthOf } from './table-columns.ts';
import type { TableReader } from './table-reader.ts';

/** The fast way to take in the bars of a CSV file, where they are taken as they are. */
export function stageOf(
  { path, priceFactor = 1, roundsPricesTo = null, onProgress }: ImportTableOptions,
  of: {
    readonly reader: TableReader;
    readonly first: { readonly file: RowFile; readonly places: ColumnPlaces; readonly rows: readonly FileRow[] };
    readonly plan: BarPlan;
  },
): StageRows {
  const { reader, first, plan } = of;
  const { file, places } = first;
  return async (database) => {
    if (!isCsv(file) || plan.partMs !== null || priceFactor !== 1 || roundsPricesTo !== null) return null;
    const staged = await stageCsv(database, {
      path,
      separator: file.separator,
      hasHeader: file.header !== null,
      firstRow: first.rows[0]?.fields ?? [],
      width: widthOf(file, first.rows),
      places,
      timeframe: plan.timeframe,
      totalBytes: file.progress().totalBytes,
      onProgress,
    });
    reader.count = staged?.rows ?? 0;
    return staged;
  };
}
