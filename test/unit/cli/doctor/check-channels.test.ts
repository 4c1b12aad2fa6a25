import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkChannels } from '../../../../src/cli/doctor/run-doctor.ts';
import { doctorCommand } from '../../../../src/cli/commands/doctor.ts';
import { apiError, ChatServer, ACCEPTED } from '../../../support/chat-server.ts';
import { runCommand, type Ended } from '../api/run-command.ts';
import { configOf, writeConfig } from './doctor-world.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const TOKEN = '123456:a-secret-token-of-a-bot';

let server: ChatServer;
const folder = folderOfAllTests();
let said: string[];
beforeAll(async () => {
  server = new ChatServer(() => ACCEPTED);
  await server.listen();
});
afterAll(async () => {
  await server.close();
});
beforeEach(() => {
  server.seen.length = 0;
  said = [];
});

/** Returns the address of a chat API on a port that nobody listens on any more. */
const goneAddress = async (): Promise<string> => {
  const gone = new ChatServer();
  const address = await gone.listen();
  await gone.close();
  return address;
};

const channel = (name: string, apiRoot = server.address): string =>
  `{ kind: telegram, name: ${name}, token: "${TOKEN}", chat: 1, apiRoot: "${apiRoot}" }`;

const fileOf = (...channels: readonly string[]): string => {
  const account = { baseUrl: 'https://exchange.example', folder, ledgerFolder: join(folder, 'state') };
  return writeConfig(account, { more: `alerts: { channels: [${channels.join(', ')}] }` });
};

const check = async (
  channels: readonly string[],
  options: Partial<Parameters<typeof checkChannels>[1]> = {},
) =>
  checkChannels(configOf(fileOf(...channels)), {
    mode: 'live',
    isWhole: true,
    isOffline: false,
    signal: new AbortController().signal,
    log: (line) => said.push(line),
    nowMs: 0,
    ...options,
  });

describe('channels of alerts', () => {
  test('get a test message each, and say what keeps them from taking it', async () => {
    const gone = channel('gone', await goneAddress());
    server.answers(apiError(400, `Bad Request: chat not found for ${TOKEN}`));
    expect(await check([channel('phone'), gone])).toEqual([
      {
        check: 'alert channel',
        verdict: 'problem',
        text: 'phone did not take a test message: the service answered 400: Bad Request: chat not found for [secret]',
        remedy: expect.stringContaining('/start') as string,
      },
      expect.objectContaining({
        verdict: 'problem',
        text: expect.stringMatching(/^gone did not take .*ECONNREFUSED/) as string,
        remedy: expect.stringContaining('apiRoot') as string,
      }),
    ]);
    expect(said).toEqual(['doctor sends a test message through each channel of alerts: phone, gone.']);
    server.answers(ACCEPTED, apiError(502, 'bad gateway'));
    const verdicts = (await check([channel('one'), channel('two')])).map(({ verdict }) => verdict);
    expect(verdicts.toSorted()).toEqual(['ok', 'warning']);
  });

  test('that nobody configured are a warning with real money alone', async () => {
    const remedy = expect.stringContaining('docs/alerts.md') as string;
    expect(await check([])).toMatchObject([{ verdict: 'warning', remedy }]);
    expect(await check([], { mode: 'paper' })).toMatchObject([{ verdict: 'ok' }]);
  });

  test('are not tried offline, after an interrupt, or of a configuration that is wrong', async () => {
    const unread = [{ verdict: 'not checked' }];
    expect(await check([channel('phone')], { isOffline: true })).toMatchObject([
      { ...unread[0], text: 'phone is configured, and was not tried with --offline' },
    ]);
    expect(await check([channel('phone')], { signal: AbortSignal.abort() })).toMatchObject(unread);
    expect(await check([channel('phone')], { isWhole: false })).toMatchObject(unread);
    expect({ said, seen: server.seen }).toEqual({ said: [], seen: [] });
  });
});

const doctor = async (file: string, ...args: readonly string[]): Promise<Ended> =>
  runCommand(doctorCommand, ['--config', file, ...args], {
    environment: {},
    workingFolder: folder,
  });

test('sarraf doctor tells people that it looks, and offline does not; of an open .env it speaks once', async () => {
  const file = join(folder, 'embedded.yaml');
  const settings = ['mode: embedded', 'instance: ${NAME}', 'data: { folder: data }'];
  writeFileSync(file, [...settings, `alerts: { channels: [${channel('phone')}] }`].join('\n'));
  writeFileSync(join(folder, '.env'), 'NAME=bot\n', { mode: 0o644 });
  const online = await doctor(file);
  expect(online).toMatchObject({ code: 0, error: expect.stringContaining('phone.') as string });
  expect(online.out).toMatch(/^ok +alert channel: phone took a test message: see that it arrived$/m);
  expect(online.out + online.error).not.toContain(TOKEN);
  const offline = await doctor(file, '--offline', '--json');
  expect(offline).toMatchObject({ code: 0, error: '' });
  expect(server.seen).toHaveLength(1);
  const { checks } = JSON.parse(offline.out) as { checks: readonly { check: string; text: string }[] };
  expect(checks.filter(({ text }) => text.includes('.env'))).toMatchObject([{ check: 'file modes' }]);
});
