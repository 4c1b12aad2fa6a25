import { acquireLock } from '../../../src/daemon/locks/lock.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseMarket } from '../../../src/domain/market-symbol.ts';
import { Catalogue } from '../../../src/recording/catalogue.ts';
import { SegmentWriter } from '../../../src/recording/segments/segment-writer.ts';

// Records a hundred trades into the catalogue that is named, says so when they are on the disk, and waits to be killed.
const takeLock = (path: string): { release(): void } => acquireLock({ path, what: path, otherwise: 'wait' });
const catalogue = new Catalogue({ root: process.argv[2] ?? '', takeLock });
const startMs = Date.UTC(2024, 7, 8, 23, 59, 58);
const writer = await SegmentWriter.open({
  catalogue,
  takeLock,
  nowMs: () => startMs,
  onProblem(error) {
    throw error;
  },
});
for (let index = 0; index < 100; index += 1) {
  const timeMs = startMs + index;
  const [price, amount] = [decimalText('12600000010'), decimalText('0.000001')];
  const trade = { timeMs, seenMs: timeMs + 300, price, amount, side: 'buy', id: null } as const;
  writer.append({ kind: 'trade', market: parseMarket('BTCIRT').symbol, trade });
}
await writer.flush();
console.log('flushed');
setInterval(() => undefined, 1_000);
