import type { Slot } from '../admission.ts';
import { z } from 'zod';
import { dataUnusable } from '../../domain/errors.ts';
import { randomBytes } from 'node:crypto';
import { madeOnce } from '../../domain/retain-newest.ts';

/** A slot in the form that Redis stores. */
export interface ImageSlot extends Pick<
  Slot,
  'owner' | 'admittedAtMs' | 'stampedAtMs' | 'endedAtMs' | 'isFollowed'
> {
  /** Number of the slot, unique for its owner. */
  readonly seq: number;
}

const HEAD = z.object({
  run: z.string(),
  epoch: z.string(),
  revision: z.number(),
  stable: z.number(),
  seen: z.number(),
});

type ImageHead = z.output<typeof HEAD>;

const NO_HEAD: ImageHead = { run: '', epoch: '', revision: 0, stable: 0, seen: 0 };

const SLOTS = z.array(z.tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.number()]));

/** The whole ledger as it was read from Redis; it never changes. */
export class LedgerImage {
  readonly fields: ReadonlyMap<string, string>;
  readonly head: ImageHead;
  private readonly read = new Map<string, readonly ImageSlot[]>();

  constructor(fields: ReadonlyMap<string, string>) {
    this.fields = fields;
    const head = fields.get('head');
    this.head = head === undefined ? NO_HEAD : parsed('head', head, HEAD);
  }

  /** Builds an image from an answer of Redis: names and values in turn. */
  static of(flat: readonly string[]): LedgerImage {
    const fields = new Map<string, string>();
    for (let at = 0; at < flat.length; at += 2) fields.set(flat[at] ?? '', flat[at + 1] ?? '');
    return new LedgerImage(fields);
  }

  /** Returns a copy with changed fields and their new texts; '' removes a field. */
  with(changed: ReadonlyMap<string, string>, head: ImageHead): LedgerImage {
    const fields = new Map(this.fields);
    for (const [field, text] of changed) {
      if (text === '') fields.delete(field);
      else fields.set(field, text);
    }
    return new LedgerImage(fields.set('head', JSON.stringify(head)));
  }

  get isEmpty(): boolean {
    return this.head.epoch === '';
  }

  slots(field: string): readonly ImageSlot[] {
    return madeOnce(this.read, field, () => {
      const text = this.fields.get(field);
      return text === undefined ? [] : readSlots(field, text);
    });
  }

  /** Returns the names of all fields of a kind, such as `slots:…`. */
  names(kind: string): readonly string[] {
    return [...this.fields.keys()].filter((name) => name.startsWith(`${kind}:`));
  }

  hasDoubt(): boolean {
    return this.names('slots').some((field) => this.slots(field).some(isDoubtful));
  }
}

export const isDoubtful = ({ endedAtMs, stampedAtMs }: ImageSlot): boolean =>
  endedAtMs !== null && stampedAtMs === null;

/** Reads a field as JSON of a shape. Throws `DATA_UNUSABLE` for one that sarraf cannot have written. */
export function parsed<Shape extends z.ZodType>(field: string, text: string, shape: Shape): z.output<Shape> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  throw dataUnusable(
    `expected a ledger of sarraf in Redis, found something else in its field ${field}: nothing is sent. Take the key away; every window then counts as full once`,
  );
}

function readSlots(field: string, text: string): readonly ImageSlot[] {
  return parsed(field, text, SLOTS).map(([owner, seq, admittedAtMs, stamped, ended, followed]) => ({
    owner,
    seq,
    admittedAtMs,
    stampedAtMs: stamped < 0 ? null : stamped,
    endedAtMs: ended < 0 ? null : ended,
    isFollowed: followed === 1,
  }));
}

/** Writes slots as the text of a field; '' if there are none. */
export function slotsText(slots: readonly ImageSlot[]): string {
  if (slots.length === 0) return '';
  return JSON.stringify(
    slots.map(({ owner, seq, admittedAtMs, stampedAtMs, endedAtMs, isFollowed }) => [
      owner,
      seq,
      admittedAtMs,
      stampedAtMs ?? -1,
      endedAtMs ?? -1,
      Number(isFollowed),
    ]),
  );
}

/** Returns a new name of a count: its begin and a random part. */
export const epochName = (begunMs: number): string => `${begunMs}-${randomBytes(6).toString('hex')}`;

/** Returns the begin of a count; a later count has a higher number. */
export const begunOf = (epoch: string): number => Number(epoch.split('-', 1)[0]);

/** Margins of a window for two clocks: one part in so many of its length, and a small step in ms. */
const DRIFT_PARTS = 500;
export const STEP_MS = 100;

/** Returns the margin in ms that is added to a window in a shared ledger. */
export const longerMs = (windowMs: number): number => STEP_MS + Math.ceil(windowMs / DRIFT_PARTS);
