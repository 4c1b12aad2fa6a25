import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AlertOutbox } from '../../../src/alerts/alert-outbox.ts';
import { openOutboxFile } from '../../../src/alerts/outbox-file.ts';
import { apiError, ChatServer, ACCEPTED } from '../../support/chat-server.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const page = readFileSync('docs/alerts.md', 'utf8');

const folder = folderOfEachTest();
let server: ChatServer;
beforeEach(async () => {
  server = new ChatServer(() => ACCEPTED);
  await server.listen();
});
afterEach(async () => {
  await server.close();
});

/** Writes the configuration that the page shows, with the API of a server on this machine. */
function writeConfig(): string {
  const [, yaml = ''] = /```yaml\n(language[\s\S]*?)```/.exec(page) ?? [];
  const file = join(folder, 'bot.yaml');
  const text = yaml.replace('${TELEGRAM_TOKEN}', '"1:a-secret-token"');
  writeFileSync(file, `${text.trimEnd()}\n      apiRoot: ${server.address}\n`);
  return file;
}

function openAlert(): void {
  const outbox = new AlertOutbox(openOutboxFile(folder));
  outbox.apply({
    changes: [
      {
        kind: 'open',
        condition: {
          key: 'halted',
          severity: 'critical',
          facts: { rule: 'halted', reason: 'news' },
          sinceMs: Date.now(),
        },
      },
    ],
    atMs: Date.now(),
    cursor: null,
    channels: [{ name: 'telegram', least: 'info', step: 1 }],
  });
  outbox.close();
}

const sarraf = async (...args: string[]) => sarrafHere([...args, '--data', folder]);

describe('sarraf alerts', () => {
  test('does what its page shows', async () => {
    const config = writeConfig();
    openAlert();
    const [, block = ''] = /```sh\n(sarraf alerts test[\s\S]*?)```/.exec(page) ?? [];
    const outs: string[] = [];
    for (const line of block.trim().split('\n')) {
      const args = line.replace('bot.yaml', config).split(' ').slice(1);
      const { code, out } = await (args[1] === 'test' ? sarrafHere(args) : sarraf(...args));
      expect(code).toBe(0);
      outs.push(out);
    }
    expect(outs).toEqual([
      'telegram: delivered\n',
      expect.stringMatching(/1 {2}critical .* OPEN .* telegram waiting .* Trading is halted: news/) as string,
      'acknowledged #1\n',
    ]);
    expect(server.seen[0]?.body).toMatchObject({ chat_id: 123_456_789 });
  });

  test('lists what was said, in either language, and as JSON', async () => {
    expect((await sarraf('alerts', 'list')).out).toBe('No alerts yet.\n');
    openAlert();
    expect((await sarraf('alerts', 'list', '--language', 'fa')).out).toContain('معامله متوقف است');
    const { out } = await sarraf('alerts', 'list', '--json');
    expect(JSON.parse(out)).toMatchObject({ alerts: [{ id: 1, text: 'Trading is halted: news' }] });
    await sarraf('alerts', 'ack', '#1');
    expect((await sarraf('alerts', 'list')).out).toContain('seen by');
  });

  test('acknowledges once', async () => {
    openAlert();
    expect((await sarraf('alerts', 'ack', '1', '--json')).code).toBe(0);
    expect(await sarraf('alerts', 'ack', '1')).toMatchObject({ code: 1 });
    expect(await sarraf('alerts', 'ack', 'x')).toMatchObject({ code: 2 });
  });

  test('says which channel did not take a test, without its token', async () => {
    const config = writeConfig();
    server.answers(apiError(401, 'Unauthorized 1:a-secret-token'));
    const { code, out, error } = await sarrafHere(['alerts', 'test', '--config', config]);
    expect({ code, out }).toEqual({
      code: 1,
      out: [
        'telegram: NOT delivered: the service answered 401: Unauthorized [secret]',
        '  -> the token is wrong or was revoked: copy it once more from the chat that made the bot\n',
      ].join('\n'),
    });
    expect(error).toContain('not delivered by telegram');
    const asJson = await sarrafHere(['alerts', 'test', '--config', config, '--json']);
    expect(JSON.parse(asJson.out)).toEqual({
      results: [{ channel: 'telegram', kind: 'delivered', advice: null }],
    });
  });

  test('refuses to test what is not configured', async () => {
    const config = writeConfig();
    const other = await sarrafHere(['alerts', 'test', '--config', config, '--channel', 'mail']);
    expect(other).toMatchObject({ code: 2 });
    expect(other.error).toContain('expected one of telegram as --channel, was mail');
    writeFileSync(config, 'language: en\n');
    expect(await sarrafHere(['alerts', 'test', '--config', config])).toMatchObject({ code: 2 });
  });
});
