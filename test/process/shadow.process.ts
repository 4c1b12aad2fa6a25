import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closing } from '../../src/domain/closing.ts';
import { readSessionFile } from '../../src/daemon/session-file.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { startNode, startSarraf, type SarrafProcess } from '../support/sarraf-process.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { createEmptyLedger } from './bot-home.ts';
import { ServedExchange, TOKEN } from './served-exchange.ts';

/** Time-out for a busy machine; what a test waits for mostly comes within a second. */
const PATIENT = { timeout: 120_000, interval: 200 };

/** A strategy that buys once, and logs its word with each book. */
const SOURCE = `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'words',
  params: z.strictObject({ word: z.string() }),
  state: z.strictObject({ books: z.int().default(0) }),
  data: ({ market }) => ({ book: market.book() }),
  on: {
    book(ctx, { bestAsk }) {
      ctx.log('book', { word: ctx.params.word, books: ctx.state.books, position: ctx.position });
      if (ctx.state.books === 0) ctx.buy({ amount: 0.01, price: bestAsk.price * 1.01 });
      ctx.setState({ books: ctx.state.books + 1 });
    },
  },
});
`;

const folder = folderOfEachTest();
let exchange: ServedExchange;
let bot: SarrafProcess | null = null;

const data = (): string => join(folder, 'data');

const config = (word: string): string => `
mode: live
exchange:
  baseUrl: ${exchange.baseUrl}
  credentials: { token: ${TOKEN} }
  ledgerFolder: ${JSON.stringify(join(folder, 'ledgers'))}
data: { folder: ${JSON.stringify(data())} }
record: {}
strategiesFolders: [${JSON.stringify(folder)}]
strategies:
  - { plugin: words, market: BTCIRT, params: { word: ${word} }, shadow: { params: { word: new } } }
drain: { openOrders: keep }
dashboard: { port: null }
log: { level: warn }
`;

beforeEach(async () => {
  exchange = await ServedExchange.open({ seed: 5 });
  createEmptyLedger(exchange, join(folder, 'ledgers'));
  writeFileSync(join(folder, 'words.ts'), SOURCE);
});

afterEach(async () => {
  await stop('SIGTERM');
  await exchange.close();
});

function start(word: string): void {
  writeFileSync(join(folder, 'bot.yaml'), config(word));
  bot = startNode(['bin/sarraf.js', 'run', '--config', join(folder, 'bot.yaml')], process.cwd());
}

async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  bot?.child.kill(signal);
  await bot?.finished;
  bot = null;
}

const sarraf = async (...args: readonly string[]) => sarrafHere([...args, '--data', data()]);

interface Book {
  readonly word: string;
  readonly books: number;
  readonly position: number;
}

/** Returns the newest line of a strategy's log in a mirror; null if there is none. */
function newest(path: string, strategy: string): Book | null {
  try {
    using mirror = closing(new MirrorReader(path));
    const [line] = mirror.lines('log', { strategy, last: 1 });
    return line === undefined ? null : (JSON.parse(line.json) as { readonly fields: Book }).fields;
  } catch {
    return null;
  }
}

const ofBot = (): Book | null => newest(join(data(), 'mirror.sqlite'), 'words');
const ofShadow = (): Book | null => newest(join(data(), 'shadows', 'words-2', 'paper.sqlite'), 'words-2');

function promotions(): readonly string[] {
  using mirror = closing(new MirrorReader(join(data(), 'mirror.sqlite')));
  return mirror
    .journalOf('promote', 10)
    .map(({ json }) => (JSON.parse(json) as { readonly act: string }).act);
}

test('a shadow is promoted in a live bot, survives a kill with it, and is undone', async () => {
  start('old');
  await expect.poll(() => ofBot()?.position, PATIENT).toBeCloseTo(0.01, 4);
  await expect.poll(() => ofShadow()?.position, PATIENT).toBeCloseTo(0.01, 4);
  expect([ofBot()?.word, ofShadow()?.word]).toEqual(['old', 'new']);
  const compared = await sarraf('shadow');
  expect(compared.out).toMatch(/^words-2 beside words since .+ UTC\n/);
  expect(compared.out).toContain('Orders of both: 1; only of words: 0; only of the shadow: 0.');

  const unknown = await sarraf('promote', 'other');
  expect([unknown.code, unknown.error]).toEqual([
    2,
    expect.stringContaining('expected the name of a shadow'),
  ]);
  const early = await sarraf('promote', 'words-2', '--undo');
  expect([early.code, early.error]).toEqual([1, expect.stringContaining('there is nothing to undo')]);

  // Two people at once: one promotes, and the other learns of it.
  const both = await Promise.all(
    [1, 2].map(async () => startSarraf(['promote', 'words-2', '--data', data()]).finished),
  );
  const [done, refused] = both.toSorted((one, other) => Number(one.code) - Number(other.code));
  const exchanged =
    'words-2 and its strategy go on with the code and parameters of each other; orders and holdings stayed\n';
  expect(done).toEqual({ code: 0, out: exchanged, error: '' });
  expect(refused?.error).toMatch(/another promotion is being made|has its code and params already/);
  expect(refused?.code).toBe(1);
  await expect.poll(() => [ofBot()?.word, ofShadow()?.word], PATIENT).toEqual(['new', 'old']);
  expect(ofBot()?.position).toBeCloseTo(0.01, 4);
  expect(readFileSync(join(data(), 'run.json'), 'utf8')).toContain('"word":"new"');

  const replayed = await sarrafHere(['replay', '--session', data()]);
  expect(replayed.out).toContain(
    '\nCode and params were exchanged with a shadow then: what came after that is left out.\nWith the params of the session, ',
  );
  const compareLater = await sarrafHere(['parity', '--session', data()]);
  expect(compareLater.error).toContain('found a bot that still runs: its recording since ');

  await stop('SIGKILL');
  const books = ofBot()?.books ?? 0;
  start('old');
  await expect.poll(() => ofBot()?.books, PATIENT).toBeGreaterThan(books);
  expect(ofBot()).toMatchObject({ word: 'new', position: expect.closeTo(0.01, 4) as number });
  await expect.poll(() => ofShadow()?.word, PATIENT).toBe('old');
  // A replay begins with the params that run, not with those of the configuration.
  expect(readSessionFile(data()).config.strategies[0]?.params).toEqual({ word: 'new' });

  // A reload keeps the promotion, as nothing in the configuration has changed.
  expect((await sarraf('reload', 'words')).code).toBe(0);
  await expect.poll(() => (ofBot()?.books ?? 0) > books + 2, PATIENT).toBe(true);
  expect(ofBot()?.word).toBe('new');

  expect((await sarraf('promote', 'words-2', '--undo')).code).toBe(0);
  await expect.poll(() => [ofBot()?.word, ofShadow()?.word], PATIENT).toEqual(['old', 'new']);
  expect(promotions()).toEqual(['promote', 'undo']);
});

test('a promotion ends with other params in the configuration, though the bot stopped amid the promotion', async () => {
  start('old');
  await expect.poll(() => ofShadow()?.word, PATIENT).toBe('new');
  expect((await sarraf('promote', 'words-2')).code).toBe(0);
  // The shadow's new thread is still loading.
  await stop('SIGTERM');
  start('other');
  await expect.poll(() => [ofBot()?.word, ofShadow()?.word], PATIENT).toEqual(['other', 'new']);
  expect(promotions()).toEqual(['promote', 'drop']);
});
