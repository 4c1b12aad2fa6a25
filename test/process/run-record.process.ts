import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { backtest, latencyOfSession } from '../../src/research.ts';
import { openToOthers, startOpen } from '../support/open-to-others.ts';
import { booksOf, rowsOnDisk } from '../support/recorded-rows.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import type { Finished } from '../support/sarraf-process.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

interface Line {
  readonly event: string;
  readonly markets: readonly { readonly kinds: Readonly<Record<string, { readonly rows: number }>> }[];
  readonly rawReplies: number;
}

/** Time-out for a run that hangs, in ms. */
const HANGS_MS = 300_000;

const folder = folderOfAllTests();

interface Result {
  readonly summary: unknown;
  readonly orders: unknown;
  readonly fills: unknown;
  readonly fidelity: {
    readonly kind: string;
    readonly rules: readonly { readonly rule: string; readonly setting: string }[];
  };
  readonly timing: { readonly events: number };
}

interface Verified {
  readonly folders: readonly { readonly counts: Readonly<Record<string, number>> }[];
}

/** Parses a number as it is printed for people. */
const numberOf = (text: string): number => Number(text.replaceAll(',', ''));

describe('sarraf run --record', () => {
  /** Data folder of the bot whose recording most tests use. */
  let data: string;
  let catalogue: string;
  let ended: Finished;
  let openWhileItRuns: readonly string[];

  beforeAll(async () => {
    data = join(folder, 'home', 'data');
    catalogue = join(data, 'catalogue');
    // Slow enough that a pause of the busy machine of a second leaves no gap in the recording.
    const bot = startOpen(['run', '--record', '--speed=25', `--data=${data}`]);
    const recorded = (): number[] => ['books', 'candles'].map((kind) => rowsOnDisk(catalogue, kind));
    await vi.waitFor(() => expect(Math.min(...recorded())).toBeGreaterThan(1), { timeout: HANGS_MS });
    openWhileItRuns = openToOthers(join(folder, 'home'));
    bot.child.kill('SIGTERM');
    ended = await bot.finished;
    expect(ended).toMatchObject({ code: 0, error: '' });
  });

  test('keeps mirror, control, recording and events from others, while it runs and after it', () => {
    expect(readdirSync(data).length).toBeGreaterThan(2);
    expect(openWhileItRuns).toEqual([]);
    expect(openToOthers(join(folder, 'home'))).toEqual([]);
  });

  test('records what the bot asks for, and says where it is', async () => {
    const { out } = ended;
    const [, books = '0', bars = '0'] =
      /^Recorded ([\d,]+) books, 0 trades, 0 statistics and ([\d,]+) bars of BTCIRT in /m.exec(out) ?? [];
    expect(numberOf(books)).toBeGreaterThan(1);
    expect(numberOf(bars)).toBeGreaterThan(1);
    expect(await booksOf(catalogue)).toBe(numberOf(books));
    const listed = await sarrafHere(['data', 'list', '--catalogue', catalogue]);
    expect(listed.out).toMatch(/^BTCIRT +books +[\d,]+ .*embedded exchange, seed 1$/m);
    // A pause of the machine of some seconds leaves a gap, and nothing else.
    const verified = await sarrafHere(['data', 'verify', '--catalogue', catalogue, '--json']);
    const { folders } = JSON.parse(verified.out) as Verified;
    expect(folders.length).toBeGreaterThan(1);
    const kinds = folders.flatMap(({ counts }) => Object.keys(counts));
    expect(
      kinds.filter((kind) => kind !== 'gap'),
      verified.out,
    ).toEqual([]);
    // Runs the commands that it prints, unchanged.
    const fidelities: unknown[] = [];
    for (const [, backtest = ''] of out.matchAll(/^ {2}npx sarraf (backtest .*)$/gm)) {
      const words = backtest.replaceAll('"', '').split(' ');
      const backtested = await sarrafHere([...words, '--no-save', '--json']);
      expect(backtested).toMatchObject({ code: 0, error: '' });
      const { fidelity, timing } = JSON.parse(backtested.out) as Result;
      fidelities.push(fidelity.kind);
      if (fidelity.kind === 'candles') expect(timing.events).toBe(numberOf(bars));
    }
    expect(fidelities).toEqual(['poll', 'candles']);
  });

  test('leaves what its requests took, to be drawn from', async () => {
    const poll = ['backtest', 'market-maker', '--fidelity', 'poll', '--json', '--market', 'BTCIRT'];
    const account = ['--cash', '1000000000', '--catalogue', catalogue, '--no-save'];
    const args = [...poll, ...account, '--latency-from', data];
    const drawn = await sarrafHere([...args, '--seed', '7']);
    const { summary, orders, fills, fidelity } = JSON.parse(drawn.out) as Result;
    const { rules } = fidelity;
    expect(rules.find(({ rule }) => rule === 'latency')?.setting).toMatch(
      /^drawn for each request from \d+ recorded round trips? of .*; half of it each way, seed 7$/,
    );
    // A program gets the same result as the command line.
    const { result, equity, problems } = await backtest({
      strategies: [{ strategy: 'market-maker', market: 'BTCIRT' }],
      recording: catalogue,
      balances: { rls: 1_000_000_000 },
      rules: { latency: await latencyOfSession(data, 7) },
    });
    expect(JSON.parse(JSON.stringify(result))).toMatchObject({ summary, orders, fills, fidelity });
    expect(equity.timeMs.length).toBeGreaterThan(1);
    expect(problems).toEqual([]);
    const both = await sarrafHere([...args, '--latency', '5']);
    expect([both.code, both.error]).toEqual([
      2,
      expect.stringContaining('expected --latency or --latency-from, found both'),
    ]);
  });

  test('records to the folder of the configuration, in virtual time too', async () => {
    const file = join(folder, 'recording.yaml');
    writeFileSync(file, 'record: { folder: kept, raw: true }\ndata: { folder: virtual }\n');
    const args = ['run', '--config', file, '--speed=max', '--for=300ms', '--json'];
    const { code, out } = await sarrafHere(args);
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
