import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { MirrorStore } from '../../../src/mirror/mirror-store.ts';
import { DEFAULT_RETENTION } from '../../../src/mirror/pruner.ts';

/** Runs alone on a disk of a few MB, which it fills; prints what the mirror does as lines of JSON. */
const disk = process.argv[2] ?? '';
const folder = join(disk, 'data');
const say = (line: Record<string, unknown>): void => console.log(JSON.stringify(line));
const hasReserve = (): boolean => readdirSync(folder).includes('mirror.sqlite.ballast');

const open = (): MirrorStore =>
  MirrorStore.open({
    path: join(folder, 'mirror.sqlite'),
    retention: DEFAULT_RETENTION,
    nowMs: 0,
    epoch: () => 'abcd',
    durability: 'full',
    onRelief: (message) => say({ relief: /is full.*room again/.test(message) }),
  });

/** Writes files until no byte of the disk is left. */
function fillDisk(): void {
  for (let size = 1_048_576; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (let count = 0; count < 1_000; count += 1)
        writeFileSync(join(disk, `filler-${size}-${count}`), Buffer.alloc(size, 1));
    } catch {
      // The disk has no room for a file of this size any more.
    }
  }
}

const line = (subject: string): MirrorChange => ({
  kind: 'journal',
  entry: { kind: 'notice', subject, json: JSON.stringify({ text: 'x'.repeat(50_000) }) },
});

mkdirSync(folder);
const store = open();
say({ ballast: hasReserve() });
fillDisk();
store.apply([{ kind: 'kept', name: 'gathered', json: '1' }], { atMs: 1, isDurable: false });
for (let count = 0; count < 20; count += 1)
  store.apply([line(`early-${count}`)], { atMs: 1, isDurable: false });
// Makes more market data than the reserve file has room for.
const candle = {
  openTimeMs: 0,
  open: decimalText('1'),
  high: decimalText('1'),
  low: decimalText('1'),
  close: decimalText('1'),
};
for (let count = 0; count < 200; count += 1) {
  const market = 'x'.repeat(100_000) + String(count);
  const change = {
    kind: 'candle',
    market,
    timeframe: '1m',
    candle: { ...candle, volume: decimalText('1') },
  } as const;
  store.apply([change], { atMs: 1, isDurable: false });
}
store.flush();
say({ gathered: store.writeFault() === null, ballast: hasReserve() });

let written = 0;
try {
  for (; written < 10_000; written += 1)
    store.apply([line(`durable-${written}`)], { atMs: 2, isDurable: true });
} catch (error) {
  if (!(error instanceof SarrafError)) throw error;
  say({
    code: error.code,
    isFull: error.details['isFull'],
    ballast: hasReserve(),
    writable: store.writeFault() === null,
    runningOut: store.isRunningOut(),
  });
}
const failed = line(`durable-${written}`);
for (const name of readdirSync(disk)) if (name.startsWith('filler')) rmSync(join(disk, name));
store.apply([failed], { atMs: 3, isDurable: true });
store.flush();
say({ written, writable: store.writeFault() === null, runningOut: store.isRunningOut() });
store.close();

const again = open();
const { stored: kept } = again.load();
say({ kept, ballast: hasReserve() });
again.close();
