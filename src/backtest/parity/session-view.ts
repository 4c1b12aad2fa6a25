import type { FillRecord } from '../../execution/fill-record.ts';
import type { OrderRecord } from '../../execution/order-record.ts';
import type { Told } from './told.ts';

/** A book or a bar as the bot knew it. */
export interface SeenData {
  readonly market: string;
  /** When it was seen; of a bar when it closed. In ms since 1970. */
  readonly atMs: number;
  /** All of it: two that are the same have the same text. */
  readonly text: string;
}

/** That a strategy wanted something. */
export interface WantedThing {
  /** The intent's name in its own run. */
  readonly id: string;
  readonly strategy: string;
  readonly kind: string;
  readonly atMs: number;
}

/** One run as it can be compared with another, each list in the order of time. */
export interface SessionView {
  readonly intents: readonly WantedThing[];
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly FillRecord[];
  readonly books: readonly SeenData[];
  readonly bars: readonly SeenData[];
  /** All that it was told; null where that was not kept. */
  readonly told: Told | null;
}

/** What is compared: two runs of one stretch of time. */
export interface SessionPair {
  readonly session: SessionView;
  readonly again: SessionView;
}
