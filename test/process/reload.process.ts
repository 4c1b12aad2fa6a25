import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { closing } from '../../src/domain/closing.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { startNode, type SarrafProcess } from '../support/sarraf-process.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

/** Time-out for a busy machine; what a test waits for mostly comes within a second. */
const PATIENT = { timeout: 120_000, interval: 200 };

/** A strategy that buys once, rests an order, and logs its version with each book. */
const source = (version: string): string => `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'versions',
  params: z.strictObject({ word: z.string().default('none') }),
  state: z.strictObject({ hasBought: z.boolean().default(false), books: z.int().default(0) }),
  data: ({ market }) => ({ book: market.book() }),
  on: {
    start: ({ log }, { isRestart }) => log('start', { isRestart }),
    book(ctx, { bestBid, bestAsk }) {
      ctx.log('${version}', { word: ctx.params.word, books: ctx.state.books, position: ctx.position });
      if (!ctx.state.hasBought) {
        ctx.buy({ amount: 0.01, price: bestAsk.price * 1.01 });
        ctx.buy({ amount: 0.01, price: bestBid.price * 0.8 });
      }
      ctx.setState({ hasBought: true, books: ctx.state.books + 1 });
      ${version === 'stands' ? 'debugger;' : ''}
    },
  },
});
`;

const folder = folderOfEachTest();
let bot: SarrafProcess | null = null;

afterEach(async () => {
  bot?.child.kill('SIGTERM');
  await bot?.finished;
  bot = null;
});

const config = (word: string): string => `
mode: embedded
embedded: { seed: 3, speed: 10 }
data: { folder: ${JSON.stringify(join(folder, 'data'))} }
strategiesFolders: [${JSON.stringify(folder)}]
strategies:
  - { plugin: versions, market: BTCIRT, params: { word: ${word} } }
health: { port: 0 }
`;

function start(...nodeArguments: readonly string[]): SarrafProcess {
  const program = ['bin/sarraf.js', 'run', '--config', join(folder, 'bot.yaml'), '--json'];
  bot = startNode([...nodeArguments, ...program], process.cwd());
  return bot;
}

async function json(...args: readonly string[]): Promise<unknown> {
  const { out } = await sarrafHere([...args, '--data', join(folder, 'data'), '--json']);
  return JSON.parse(out);
}

interface Logged {
  readonly text: string;
  readonly fields: { readonly word?: string; readonly books?: number; readonly position?: number };
}

/** Returns the newest line of this text in the strategy's log; null if there is none. */
function logged(text: string): Logged | null {
  const path = join(folder, 'data', 'embedded.sqlite');
  if (!existsSync(path)) return null;
  using mirror = closing(new MirrorReader(path));
  const lines = mirror.lines('log', { strategy: 'versions', last: 200 });
  return lines.map(({ json }) => JSON.parse(json) as Logged).findLast((line) => line.text === text) ?? null;
}

test('a strategy is loaded anew in a running bot: its position, order and state stay', async () => {
  writeFileSync(join(folder, 'versions.ts'), source('first'));
  writeFileSync(join(folder, 'bot.yaml'), config('one'));
  start();
  await expect.poll(() => logged('first')?.fields.position, PATIENT).toBeCloseTo(0.01, 4);
  const orders = await json('orders');

  writeFileSync(join(folder, 'versions.ts'), source('second').replace('book(ctx', 'book(ctx +'));
  const refused = await sarrafHere(['reload', 'versions', '--data', join(folder, 'data')]);
  expect(refused.code).toBe(1);
  expect(refused.error).toContain('versions was not loaded anew, and goes on as before: ');
  expect(refused.error).toContain('versions.ts:');

  writeFileSync(join(folder, 'versions.ts'), source('second'));
  writeFileSync(join(folder, 'bot.yaml'), config('two'));
  const { code, out, error } = await sarrafHere(['reload', 'versions', '--data', join(folder, 'data')]);
  expect({ code, out, error }).toEqual({
    code: 0,
    out: 'versions runs with its new code and parameters; its orders and holdings stayed\n',
    error: '',
  });
  await expect.poll(() => logged('second')?.fields.word, PATIENT).toBe('two');
  const { fields } = logged('second') as Logged;
  expect(fields.books).toBeGreaterThan(0);
  expect(fields.position).toBeCloseTo(0.01, 4);
  expect(await json('orders')).toEqual(orders);
  expect(readFileSync(join(folder, 'data', 'run.json'), 'utf8')).toContain('"word":"two"');

  const unknown = await sarrafHere(['reload', 'other', '--data', join(folder, 'data')]);
  expect([unknown.code, unknown.error]).toEqual([
    1,
    expect.stringContaining('expected one of the strategies of the bot (versions), was other'),
  ]);
});

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly message?: string };
}

/** Debugger of the strategies' threads in a program that was started with an inspector. */
class Inspector {
  private readonly socket: WebSocket;
  private readonly sessions: string[] = [];
  private sent = 0;
  /** Number of times that a thread stopped at a line. */
  stops = 0;

  constructor(address: string) {
    this.socket = new WebSocket(address);
    this.socket.addEventListener('open', () =>
      this.send('NodeWorker.enable', { waitForDebuggerOnStart: false }),
    );
    this.socket.addEventListener('message', ({ data }) => this.read(JSON.parse(String(data)) as Message));
  }

  /** Lets all threads go on, without stops from now on. */
  goOn(): void {
    for (const session of this.sessions) this.sendTo(session, 'Debugger.disable');
  }

  close(): void {
    this.socket.close();
  }

  private read({ method, params = {} }: Message): void {
    const { sessionId, message } = params;
    if (method === 'NodeWorker.attachedToWorker' && sessionId !== undefined) {
      this.sessions.push(sessionId);
      this.sendTo(sessionId, 'Debugger.enable');
    }
    if (method === 'NodeWorker.receivedMessageFromWorker' && message !== undefined)
      this.stops += (JSON.parse(message) as Message).method === 'Debugger.paused' ? 1 : 0;
  }

  private sendTo(sessionId: string, method: string): void {
    this.sent += 1;
    this.send('NodeWorker.sendMessageToWorker', {
      sessionId,
      message: JSON.stringify({ id: this.sent, method }),
    });
  }

  private send(method: string, params: object): void {
    this.sent += 1;
    this.socket.send(JSON.stringify({ id: this.sent, method, params }));
  }
}

/** Time limit of a handler in ms, and a time for which a person stands at a line. */
const HANDLER_MS = 500;
const STANDS_MS = 2_500;

test('a strategy that a person stops at a line with a debugger is not ended by its time limit', async () => {
  writeFileSync(join(folder, 'versions.ts'), source('stands'));
  writeFileSync(join(folder, 'bot.yaml'), `${config('one')}isolation: { handlerWithin: ${HANDLER_MS}ms }\n`);
  const inspector = new Inspector(await startInspected());
  await expect.poll(() => inspector.stops, PATIENT).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, STANDS_MS));
  const { books = 0 } = logged('stands')?.fields ?? {};
  inspector.goOn();
  await expect.poll(() => logged('stands')?.fields.books ?? 0, PATIENT).toBeGreaterThan(books + 2);
  inspector.close();
  using mirror = closing(new MirrorReader(join(folder, 'data', 'embedded.sqlite')));
  expect(mirror.lines('strategy', { strategy: 'versions', last: 10 })).toEqual([]);
});

/** Starts the bot with an inspector, and returns the address of its debugger. */
async function startInspected(): Promise<string> {
  const { child } = start('--inspect=127.0.0.1:0');
  let error = '';
  child.stderr?.on('data', (text: Buffer) => {
    error += text.toString();
  });
  const address = (): string => /Debugger listening on (ws:\S+)/.exec(error)?.[1] ?? '';
  await expect.poll(address, PATIENT).not.toBe('');
  return address();
}
