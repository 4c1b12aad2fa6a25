import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ControlClient } from '../../src/daemon/control-client.ts';
import { ChatServer, ACCEPTED } from '../support/chat-server.ts';
import { startSarraf, type SarrafProcess } from '../support/sarraf-process.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();
let server: ChatServer;
let bots: SarrafProcess[];
beforeEach(async () => {
  server = new ChatServer(() => ACCEPTED);
  bots = [];
  const apiRoot = await server.listen();
  writeFileSync(
    join(folder, 'bot.yaml'),
    `embedded: { speed: 1 }
data: { folder: . }
dashboard: { port: null }
alerts:
  channels: [{ kind: telegram, token: "1:a-secret-token", chat: 5, apiRoot: "${apiRoot}" }]
`,
  );
});
afterEach(async () => {
  for (const bot of bots) bot.child.kill('SIGKILL');
  await Promise.all(bots.map(async (bot) => bot.finished));
  await server.close();
});

const run = (): SarrafProcess => {
  const bot = startSarraf(['run', '--config', join(folder, 'bot.yaml'), '--json']);
  bots.push(bot);
  return bot;
};

const texts = (): readonly string[] =>
  server.seen.map(({ body }) => (body as { readonly text: string }).text);

const heard = async (count: number): Promise<void> =>
  expect.poll(texts, { timeout: 120_000, interval: 20 }).toHaveLength(count);

test('an alert arrives although the bot is killed while it is sent, and under the same id', async () => {
  server.answers('hang');
  const first = run();
  await first.line((line) => line.includes('"event":"begin"'));
  const control = new ControlClient(folder);
  control.post({ kind: 'halt', reason: 'a test', wholeAccount: false });
  await heard(1);
  first.child.kill('SIGKILL');
  await first.finished;
  run();
  await heard(2);
  const [before, after] = texts();
  expect(before).toContain('Trading is halted: a test');
  expect(after).toBe(before);
  control.post({ kind: 'resume' });
  control.close();
  await heard(3);
  expect(texts()[2]).toMatch(/✅ #\d+ Over after .*Trading is halted: a test/);
});
