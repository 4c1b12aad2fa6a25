import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkParity, type ParityReport } from '../../src/backtest/parity/check-parity.ts';
import { runBot } from '../../src/daemon/run-bot.ts';
import { readBotConfig } from '../../src/daemon/settings/read-bot-config.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';

const HOUR_MS = 3_600_000;
const bundledStrategies = resolve('strategies');

let folder: string;
let report: ParityReport;

/** A recorded run of the bundled strategies, for an hour of the exchange's time. */
async function recordAnHour(): Promise<void> {
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder: folder,
    overrides: [
      ['embedded.speed', 'max'],
      ['embedded.seed', '11'],
      ['data.folder', JSON.stringify(folder)],
      ['record', JSON.stringify({ folder: join(folder, 'catalogue') })],
    ],
  });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  const end = new AbortController();
  let endMs = Number.POSITIVE_INFINITY;
  const write = (line: string): void => {
    const { marketTimeMs } = JSON.parse(line) as { marketTimeMs?: number };
    if (marketTimeMs === undefined) return;
    if (endMs === Number.POSITIVE_INFINITY) endMs = marketTimeMs + HOUR_MS;
    if (marketTimeMs >= endMs) end.abort();
  };
  await runBot({ config: reading.config, bundledStrategies, forMs: null, json: true, write, signal: end.signal });
}

interface KeptSession {
  readonly config: { readonly strategies: readonly { readonly name: string; params: unknown }[] };
}

/** As if the code of a strategy were another one than in the session: it quotes with another spread. */
async function parityOfAnotherSpread(): Promise<ParityReport> {
  const path = join(folder, 'session.json');
  const text = readFileSync(path, 'utf8');
  const session = JSON.parse(text) as KeptSession;
  for (const strategy of session.config.strategies) {
    if (strategy.name === 'market-maker') strategy.params = { spreadBps: 1.6 };
  }
  writeFileSync(path, JSON.stringify(session));
  try {
    return await checkParity({ folder, bundledStrategies });
  } finally {
    writeFileSync(path, text);
  }
}

const ofCode = ({ differences }: ParityReport): ParityReport['differences'] =>
  differences.filter(({ cause }) => cause === 'code');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-parity-'));
  await recordAnHour();
  report = await checkParity({ folder, bundledStrategies });
}, 240_000);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('a recorded hour of the embedded exchange', () => {
  test('has no difference of the code', () => {
    expect(report.endMs - report.beganMs).toBeGreaterThan(HOUR_MS * 0.95);
    expect(ofCode(report)).toEqual([]);
  });

  test('makes every decision again from the events that it was told', () => {
    const reader = new MirrorReader(join(folder, 'embedded.sqlite'));
    const all = { strategy: null, market: null, last: 100_000 };
    const orders = reader.orders({ ...all, state: 'all' }).filter(({ plannedAtMs }) => plannedAtMs < report.endMs);
    const intents = reader.intents({ ...all, status: 'all' }).filter(({ atMs }) => atMs < report.endMs);
    reader.close();
    expect(orders.length).toBeGreaterThan(100);
    expect(report.decidedAgain).toBe(orders.length + intents.length);
  });

  test('sees the same books at the same moments in the second run, until a fill is another one', () => {
    expect(report.again.books).toBe(report.session.books);
    expect(report.decisionsOnSameInputs).toBeGreaterThanOrEqual(2);
    const [first] = report.differences;
    expect(first?.what).toBe('fill');
    expect(first?.cause).toBe('queue');
  });

  test('has differences of the code in both comparisons when a strategy decides otherwise', async () => {
    const reasons = new Set(ofCode(await parityOfAnotherSpread()).map(({ why }) => why));
    expect(reasons).toContain('told the same, event by event, another thing was decided');
    expect(reasons).toContain('everything that was seen before was the same');
  });
});
