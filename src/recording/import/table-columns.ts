import { SarrafError } from '../../domain/errors.ts';
import { findPlaces, missingColumns, type ColumnPlaces } from './column-places.ts';
import type { FileRow, RowFile } from './file-row.ts';
import type { ImportTableOptions } from './import-table-options.ts';

/** Which column of a file holds what. Throws `INVALID_FILE` for a file without rows. */
export function placesOf(options: ImportTableOptions, file: RowFile, rows: readonly FileRow[]): ColumnPlaces {
  const [first] = rows;
  if (first === undefined) {
    throw new SarrafError('INVALID_FILE', `expected rows in ${options.path}, found none`);
  }
  const { path, preset, columns } = options;
  return findPlaces({ path, header: file.header, firstRow: first.fields, preset, columns });
}

/** Titles that a line ends in with nothing, as some programs write, are none. */
export function widthOf({ header }: RowFile, rows: readonly FileRow[]): number {
  const fields = header ?? rows[0]?.fields ?? [];
  return fields.findLastIndex((field) => field !== '') + 1;
}

/** What a file holds by its columns: where it lacks some for both, that of which it has more. */
export function kindOf(places: ColumnPlaces): 'candles' | 'trades' {
  const [candles, trades] = (['candles', 'trades'] as const).map(
    (kind) => missingColumns(places, kind)?.split(',').length ?? 0,
  );
  if (candles === 0 || trades === 0) return candles === 0 ? 'candles' : 'trades';
  const hasBarPrice = (['open', 'high', 'low', 'close'] as const).some((field) => places.has(field));
  return hasBarPrice && !places.has('price') ? 'candles' : 'trades';
}

/** What to say of a file that lacks a column. */
export function lacking(
  { path }: ImportTableOptions,
  what: { readonly kind: string; readonly missing: string; readonly file: RowFile },
): SarrafError {
  const { kind, missing, file } = what;
  const found = file.header === null ? 'columns without titles' : `the columns ${file.header.join(', ')}`;
  return new SarrafError(
    'INVALID_FILE',
    `expected a column for ${missing} of ${kind} in ${path}, found ${found}: say which it is, such as --columns ${missing.split(',')[0]}=NAME`,
  );
}
