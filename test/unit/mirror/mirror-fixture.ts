import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { closing } from '../../../src/domain/closing.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach } from 'vitest';
import { makeBackup, type BackupOptions, type MadeBackup } from '../../../src/daemon/make-backup.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import type { JournalEntry, MirrorChange, ReplyRecord } from '../../../src/engine/mirror-change.ts';
import { INTENT, type IntentRecord } from '../../../src/records/rows.ts';
import { emptyOf } from '../../../src/records/field.ts';
import { EMPTY_FILL, type FillRecord } from '../../../src/records/fill.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import { MirrorStore, type MirrorStoreOptions } from '../../../src/mirror/mirror-store.ts';
import { DEFAULT_RETENTION } from '../../../src/mirror/pruner.ts';
import { plannedOrder } from '../../support/order-value.ts';
import { orderIdOf, tradeIdOf } from '../../../src/venues/read-records.ts';
import type { Algorithm } from '../../../src/engine/algorithm-json.ts';

export const NOW_MS = 1_700_000_000_000;
export const DURABLE = { atMs: NOW_MS, isDurable: true };
export const LATER = { atMs: NOW_MS, isDurable: false };

/** Backs a data folder up, into its own `backups` unless told otherwise. */
export const backUp = async (dataFolder: string, options: Partial<BackupOptions> = {}): Promise<MadeBackup> =>
  makeBackup({
    dataFolder,
    out: join(dataFolder, 'backups'),
    keep: null,
    nowMs: NOW_MS,
    onProgress: () => {},
    signal: new AbortController().signal,
    ...options,
  });

export const ICEBERG: Algorithm = {
  kind: 'iceberg',
  side: 'sell',
  amount: parseUnits('10'),
  visible: parseUnits('0.5'),
  price: parseUnits('101'),
  setbacks: { inARow: 1, retryAtMs: NOW_MS, reason: 'SmallOrder', bid: null, ask: null },
  tally: { filled: parseUnits('0.25'), countedKey: null },
};

/** A folder with a mirror that a test can open and close many times. */
export class MirrorFolder implements Disposable {
  readonly folder: string;
  readonly path: string;
  private readonly ends: (() => void)[] = [];
  private epochs = 0;

  constructor(parent: string = tmpdir()) {
    this.folder = mkdtempSync(join(parent, 'sarraf-mirror-'));
    this.path = join(this.folder, 'mirror.sqlite');
  }

  /** Opens the mirror; its epochs are `e001`, `e002` and so on. */
  open(options: Partial<MirrorStoreOptions> = {}): MirrorStore {
    const store = MirrorStore.open({
      path: this.path,
      retention: DEFAULT_RETENTION,
      nowMs: NOW_MS,
      epoch: () => `e${String((this.epochs += 1)).padStart(3, '0')}`,
      durability: 'off',
      ...options,
    });
    this.ends.push(() => store.abandon());
    return store;
  }

  /** Opens the mirror as one who only looks; it is closed with the folder. */
  read(path = this.path): MirrorReader {
    const reader = new MirrorReader(path);
    this.ends.push(() => reader.close());
    return reader;
  }

  /** Writes changes as a bot does that ends after them. */
  write(changes: readonly MirrorChange[], options = DURABLE): void {
    const store = this.open();
    store.apply(changes, options);
    store.close();
  }

  /** Changes the file as another program does. */
  exec(sql: string): void {
    const other = new Database(this.path);
    other.exec(sql);
    other.close();
  }

  /** Returns rows as another reader of the file sees them. */
  rows(sql: string, values: readonly unknown[] = []): unknown[] {
    using reader = closing(new Database(this.path, { readonly: true }));
    return reader.prepare(sql).all(...values);
  }

  [Symbol.dispose](): void {
    for (const end of this.ends.splice(0)) {
      try {
        end();
      } catch {
        // The test has closed it already.
      }
    }
    this.epochs = 0;
    rmSync(this.folder, { recursive: true });
  }
}

/** Mirror in a folder that is new before each test of the file. */
export function mirrorOfEachTest(): MirrorFolder {
  const place = new MirrorFolder();
  place[Symbol.dispose]();
  beforeEach(() => mkdirSync(place.folder));
  afterEach(() => place[Symbol.dispose]());
  return place;
}

export function orderRecord(changed: Partial<OrderRecord> = {}): OrderRecord {
  return plannedOrder({
    key: 'bot-ma-cross-e001-1',
    intentId: 'intent-1',
    strategy: 'ma-cross',
    market: 'BTCIRT',
    price: parseUnits('12600000000'),
    amount: parseUnits('0.000001'),
    plannedAtMs: NOW_MS,
    ...changed,
  });
}

export function fillRecord(changed: Partial<FillRecord> = {}): FillRecord {
  return {
    ...EMPTY_FILL,
    tradeId: tradeIdOf(70),
    cursor: 70,
    venueOrderId: orderIdOf(9),
    orderKey: 'bot-ma-cross-e001-1',
    strategy: 'ma-cross',
    market: 'BTCIRT',
    side: 'buy',
    atMs: NOW_MS,
    price: parseUnits('12600000000'),
    amount: parseUnits('0.000001'),
    total: parseUnits('12600'),
    fee: parseUnits('0.0000000025'),
    ...changed,
  };
}

export function intentRecord(changed: Partial<IntentRecord> = {}): IntentRecord {
  return {
    ...emptyOf(INTENT),
    id: 'intent-1',
    strategy: 'ma-cross',
    atMs: NOW_MS,
    kind: 'place',
    market: 'BTCIRT',
    json: '{"kind":"place"}',
    status: 'working',
    reason: null,
    ...changed,
  };
}

export const orderChange = (changed: Partial<OrderRecord> = {}): MirrorChange => ({
  kind: 'order',
  order: orderRecord(changed),
});
export const fillChange = (changed: Partial<FillRecord> = {}): MirrorChange => ({
  kind: 'fill',
  fill: fillRecord(changed),
});
export const intentChange = (changed: Partial<IntentRecord> = {}): MirrorChange => ({
  kind: 'intent',
  intent: intentRecord(changed),
});
export const noteChange = (entry: string, text: string, ...tags: readonly string[]): MirrorChange => ({
  kind: 'note',
  note: { entry, text, tags: JSON.stringify(tags), by: 'ali', atMs: NOW_MS },
});
export const figure = (name: string, atMs: number, value: string | null = '1'): MirrorChange => ({
  kind: 'figure',
  figure: { name, atMs, value },
});

export function replyRecord(changed: Partial<ReplyRecord> = {}): ReplyRecord {
  const body = '{"status":"ok","order":{"id":9,"price":"12600000000.00"}}';
  return {
    orderKey: 'bot-ma-cross-e001-1',
    step: 'place',
    atMs: NOW_MS,
    endpoint: 'addOrder',
    httpStatus: 200,
    body,
    bodyLength: body.length,
    problem: null,
    ...changed,
  };
}

type JournalKind = JournalEntry['kind'];
export const journalLine = (subject: string, json = '{}', kind: JournalKind = 'order'): MirrorChange => ({
  kind: 'journal',
  entry: { kind, subject, json },
});

export const kept = (name: string, json = '{}'): MirrorChange => ({ kind: 'kept', name, json });
