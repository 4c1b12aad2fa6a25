import { NO_COLUMN, type ColumnPlaces } from '../column-places.ts';
import { timeForm, type TimeForm } from './plain-time.ts';

/** Layout of a CSV file of candles, as known from its first rows. */
export interface CsvLayout {
  readonly separator: string;
  /** The fields of the first row. */
  readonly firstRow: readonly string[];
  /** Fields that every row has; more are empty. */
  readonly width: number;
  readonly places: ColumnPlaces;
}

/** The columns of money, in the order of their roles: open is role 1, volume role 5. */
const MONEY_FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const;

/** Roles of fields that hold no money. */
export const TIME_ROLE = 0;
export const UNUSED_ROLE = 6;
export const EMPTY_ROLE = 7;

/** Places of the fields of a plain line, and the content of each. */
export interface PlainLayout {
  readonly separator: number;
  /** Content of each field of a line, in their order. */
  readonly roles: Uint8Array;
  readonly time: TimeForm;
}

/**
 * Returns the layout of the plain lines of a file. Null if no line is plain: the times are of a form that
 * only `TimeReader` reads, the first row is short, or one column would have two roles.
 */
export function plainLayout({ separator, firstRow, width, places }: CsvLayout): PlainLayout | null {
  const time = timeForm(firstRow[places.get('time') ?? NO_COLUMN] ?? '');
  if (time === null || firstRow.length < width) return null;
  const roles = Uint8Array.from(firstRow, (_, place) => (place < width ? UNUSED_ROLE : EMPTY_ROLE));
  for (const [role, field] of ['time' as const, ...MONEY_FIELDS].entries()) {
    const place = places.get(field) ?? NO_COLUMN;
    if (place === NO_COLUMN && field === 'volume') continue;
    if (roles[place] !== UNUSED_ROLE) return null;
    roles[place] = role;
  }
  return { separator: separator.charCodeAt(0), roles, time };
}
