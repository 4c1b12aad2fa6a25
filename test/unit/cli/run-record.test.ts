import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { booksOf, rowsOnDisk } from '../../support/recorded-rows.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { startSarraf } from '../../support/sarraf-process.ts';

interface Line {
  readonly event: string;
  readonly markets: readonly { readonly kinds: Readonly<Record<string, { readonly rows: number }>> }[];
  readonly rawReplies: number;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-run-record-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Result {
  readonly fidelity: {
    readonly kind: string;
    readonly rules: readonly { readonly rule: string; readonly setting: string }[];
  };
  readonly timing: { readonly events: number };
}

/** A number as it is told to people. */
const numberOf = (text: string): number => Number(text.replaceAll(',', ''));

describe('sarraf run --record', () => {
  test('records what the bot asks for, and says where it is', async () => {
    const data = join(folder, 'run');
    const bot = startSarraf(['run', '--record', '--speed=100', `--data=${data}`]);
    const recorded = (): number[] =>
      ['books', 'candles'].map((kind) => rowsOnDisk(join(data, 'catalogue'), kind));
    await expect.poll(() => Math.min(...recorded())).toBeGreaterThan(1);
    bot.child.kill('SIGTERM');
    const { code, out } = await bot.finished;
    expect(code).toBe(0);
    const [, books = '0', bars = '0'] =
      /^Recorded ([\d,]+) books, 0 trades, 0 statistics and ([\d,]+) bars of BTCIRT in /m.exec(out) ?? [];
    expect(numberOf(books)).toBeGreaterThan(1);
    expect(numberOf(bars)).toBeGreaterThan(1);
    expect(await booksOf(join(data, 'catalogue'))).toBe(numberOf(books));
    const listed = await sarrafHere(['data', 'list', '--catalogue', join(data, 'catalogue')]);
    expect(listed.out).toMatch(/^BTCIRT +books +[\d,]+ .*embedded exchange, seed 1$/m);
    const verified = await sarrafHere(['data', 'verify', '--catalogue', join(data, 'catalogue')]);
    expect(verified).toMatchObject({ code: 0, error: '' });
    // The commands that it offers, as they stand.
    const kinds: unknown[] = [];
    for (const [, backtest = ''] of out.matchAll(/^ {2}npx sarraf (backtest .*)$/gm)) {
      const words = backtest.replaceAll('"', '').split(' ');
      const backtested = await sarrafHere([...words, '--no-save', '--json']);
      expect(backtested).toMatchObject({ code: 0, error: '' });
      const { fidelity, timing } = JSON.parse(backtested.out) as Result;
      kinds.push(fidelity.kind);
      if (fidelity.kind === 'candles') expect(timing.events).toBe(Number(bars));
    }
    expect(kinds).toEqual(['poll', 'candles']);
    // What its own requests took can be drawn from.
    const account = [
      '--market',
      'BTCIRT',
      '--cash',
      '1000000000',
      '--catalogue',
      join(data, 'catalogue'),
      '--no-save',
    ];
    const poll = [
      'backtest',
      'market-maker',
      '--fidelity',
      'poll',
      '--json',
      ...account,
      '--latency-from',
      data,
    ];
    const drawn = await sarrafHere([...poll, '--seed', '7']);
    const { rules } = (JSON.parse(drawn.out) as Result).fidelity;
    expect(rules.find(({ rule }) => rule === 'latency')?.setting).toMatch(
      /^drawn for each request from \d+ recorded round trips? of .*; half of it each way, seed 7$/,
    );
    const both = await sarrafHere([...poll, '--latency', '5']);
    expect([both.code, both.error]).toEqual([
      2,
      expect.stringContaining('expected --latency or --latency-from'),
    ]);
  });

  test('records to the folder of the configuration, in virtual time too', async () => {
    const file = join(folder, 'recording.yaml');
    writeFileSync(file, 'record: { folder: kept, raw: true }\ndata: { folder: virtual }\n');
    const { code, out } = await sarrafHere(['run', '--config', file, '--speed=max', '--for=300ms', '--json']);
    expect(code).toBe(0);
    const recorded = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
      .find(({ event }) => event === 'recorded');
    expect(recorded?.markets[0]?.kinds['books']?.rows).toBe(await booksOf(join(folder, 'kept')));
    expect(recorded?.rawReplies).toBeGreaterThan(0);
  });
});
