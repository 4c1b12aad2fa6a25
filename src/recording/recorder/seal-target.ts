import type { TakeLock } from '../append-rows.ts';

/** Where segments go. */
export interface SealTarget {
  /** The catalogue's folder. */
  readonly root: string;
  readonly takeLock: TakeLock;
  /** Where the data is from, for the manifest. */
  readonly source: string;
}
