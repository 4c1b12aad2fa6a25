import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChatServer, ACCEPTED, type SeenRequest, type ServedReply } from '../support/chat-server.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';

const ALI = 7;
const STRANGER = 99;
const QUESTION = 'Halt trading and cancel';
/** Time-out for a busy machine. */
const PATIENT = { timeout: 120_000, interval: 100 };

interface SentMessage {
  readonly text: string;
  readonly reply_markup?: {
    readonly inline_keyboard: readonly (readonly { readonly callback_data: string }[])[];
  };
}

/** Telegram as far as a bot needs it: keeps the messages it gets, and returns what people write and press. */
class FakeTelegram {
  readonly messages: SentMessage[] = [];
  readonly server = new ChatServer(async (request) => this.answer(request));
  private readonly updates: { readonly update_id: number }[] = [];
  /** The highest update id that the bot has confirmed; updates up to it are not returned again. */
  takenId = 0;

  says(text: string, from: number): void {
    const date = Math.floor(Date.now() / 1_000);
    this.add({ message: { from: { id: from }, chat: { id: 5 }, date, text } });
  }

  presses(data: string, from: number): void {
    this.add({ callback_query: { id: 'c', from: { id: from }, data, message: { chat: { id: 5 } } } });
  }

  get lastId(): number {
    return this.updates.length;
  }

  /** Finds the first message with a text; returns the data of its first button. */
  find(text: string | RegExp): { readonly button: string } | null {
    const found = this.messages.find((one) =>
      typeof text === 'string' ? one.text.includes(text) : text.test(one.text),
    );
    const button = found?.reply_markup?.inline_keyboard[0]?.[0]?.callback_data ?? '';
    return found === undefined ? null : { button };
  }

  private add(update: object): void {
    this.updates.push({ update_id: this.updates.length + 1, ...update });
  }

  private async answer({ path, body }: SeenRequest): Promise<ServedReply> {
    if (path.endsWith('/sendMessage')) this.messages.push(body as SentMessage);
    if (!path.endsWith('/getUpdates')) return ACCEPTED;
    const { offset = 0 } = body as { readonly offset?: number };
    this.takenId = Math.max(this.takenId, offset - 1);
    const result = this.updates.filter(({ update_id }) => update_id >= offset);
    // The real service answers when it has an update, or else after half a minute.
    if (result.length === 0) await pause(100);
    return { status: 200, body: { ok: true, result } };
  }
}

let own: OwnExchange;
let telegram: FakeTelegram;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 5 });
  telegram = new FakeTelegram();
  await telegram.server.listen();
});

afterEach(async (context) => {
  await own.close(context);
  await telegram.server.close();
});

/** Waits for a message with a text; returns the data of its first button. */
async function buttonOf(text: string | RegExp): Promise<string> {
  await expect.poll(() => telegram.find(text), PATIENT).not.toBeNull();
  return telegram.find(text)?.button ?? '';
}

const openOrders = (): number => own.exchange.truth().orders.filter(({ isOpen }) => isOpen).length;

test('a person is alerted, halts by two taps, sees the orders go, and resumes; nobody else is heard', async () => {
  const home = own.home({ instance: 'chatty', seed: 5 });
  const config = JSON.parse(readFileSync(home.configPath, 'utf8')) as Record<string, unknown>;
  const channel = { kind: 'telegram', token: '1:a-secret-token', chat: 5, commandsFrom: [ALI] };
  const alerts = {
    channels: [{ ...channel, apiRoot: telegram.server.address }],
    rules: { bigFill: { least: { rls: '1', usdt: '1' } } },
    group: '1s',
  };
  writeFileSync(home.configPath, JSON.stringify({ ...config, alerts }));
  const bot = own.start(home);
  await bot.healthAddress();
  // The alert of a trade of the bot.
  await buttonOf(/Bought|Sold/);

  telegram.says('/status', STRANGER);
  telegram.says('/halt', STRANGER);
  telegram.presses('go:halt', STRANGER);
  telegram.says('/status', ALI);
  const halt = await buttonOf('It may trade');
  expect(halt).toBe('go:halt');

  telegram.presses(halt, ALI);
  const yes = await buttonOf(QUESTION);
  expect(yes).toMatch(/^yes:/);
  expect(telegram.messages.filter(({ text }) => text.includes(QUESTION))).toHaveLength(1);
  telegram.presses(yes, STRANGER);
  await expect.poll(() => telegram.takenId, PATIENT).toBe(telegram.lastId);
  expect(telegram.find(/^Done/)).toBeNull();

  telegram.presses(yes, ALI);
  await buttonOf(/Trading is halted: .* by chat/);
  await expect.poll(openOrders, PATIENT).toBe(0);
  const placed = own.exchange.truth().orders.length;

  telegram.says('/resume', STRANGER);
  telegram.says('/resume', ALI);
  telegram.presses(await buttonOf('Let it trade again?'), ALI);
  await expect.poll(() => own.exchange.truth().orders.length, PATIENT).toBeGreaterThan(placed);

  own.exchange.endTrading();
  bot.signal('SIGTERM');
  await bot.finished;
  expect(brokenPromises(own.exchange, home)).toEqual([]);
});
