import fc from 'fast-check';
import { expect, test } from 'vitest';
import { candleAt, columnsOf, volumeColumnDecimals } from '../../../src/domain/candle-columns.ts';
import type { Candle } from '../../../src/domain/candle.ts';
import { formatUnits, parseUnits, type Units } from '../../../src/domain/money.ts';
import { CandleCollector } from '../../../src/recording/candle-collector.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import { verifyFolder } from '../../../src/recording/verify-folder.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import { BTCIRT, candle, temporaryCatalogue } from './temporary-catalogue.ts';

const START = Date.UTC(2024, 7, 8);
const OF = { market: BTCIRT, timeframe: '1m' } as const;

const barsOf = (volumes: readonly string[]): Candle[] =>
  volumes.map((volume, index) => candle(START + index * 60_000, { volume }));

async function readIn(
  given: readonly Candle[],
): Promise<{ readonly catalogue: string[]; readonly findings: unknown }> {
  const catalogue = temporaryCatalogue();
  await catalogue.appendCandles({ ...OF, source: 'test', candles: [given] });
  const columns = await catalogue.readCandles({ ...OF, ...ALL_TIME });
  const { findings } = await verifyFolder(
    catalogue,
    { ...OF, kind: 'candles' },
    { range: ALL_TIME, priceStep: null, gapMs: 60_000 },
  );
  return { catalogue: given.map((_, index) => candleAt(columns, index).volume), findings: findings.listed };
}

async function collectedIn(given: readonly Candle[]): Promise<string[]> {
  const collector = new CandleCollector();
  await collector.appendCandles({ ...OF, source: 'test', candles: [given] });
  const columns = collector.candlesOf(BTCIRT);
  return given.map((_, index) => candleAt(columns, index).volume);
}

test('volumes of clean exchange candles are no finding, and the same in a catalogue, in memory and in a list', async () => {
  const given = barsOf(['904067.395878553', '0.0000000001', '12.5']);
  const { catalogue, findings } = await readIn(given);
  expect(findings).toEqual([]);
  expect(catalogue).toEqual(['904067.395878553', '0', '12.5']);
  expect(await collectedIn(given)).toEqual(catalogue);
  const columns = columnsOf(OF, given);
  expect(given.map((_, index) => candleAt(columns, index).volume)).toEqual(catalogue);
});

test('volumes are rounded by one rule, whoever reads them', async () => {
  const units = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 25n - 1n }), fc.integer({ min: 0, max: 22 }))
    .map(([value, shift]) => formatUnits((value / 10n ** BigInt(shift)) as Units));
  await fc.assert(
    fc.asyncProperty(fc.array(units, { minLength: 1, maxLength: 8 }), async (volumes) => {
      const given = barsOf(volumes);
      const columns = columnsOf(OF, given);
      const listed = given.map((_, index) => candleAt(columns, index).volume);
      expect(await collectedIn(given)).toEqual(listed);
      const { catalogue, findings } = await readIn(given);
      expect(catalogue).toEqual(listed);
      expect(findings).toEqual([]);
    }),
    { numRuns: deepRuns(4) },
  );
});

test('a volume of more than 15 digits before the point is refused', () => {
  expect(volumeColumnDecimals({ finest: 10, largest: parseUnits('999999999999999') })).toBe(0);
  expect(() => volumeColumnDecimals({ finest: 10, largest: parseUnits('1000000000000000') })).toThrow(
    /below 10\^15/,
  );
});
