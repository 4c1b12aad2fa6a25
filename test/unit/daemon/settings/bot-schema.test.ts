import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';

const ENVIRONMENT = { EXCHANGE_URL: 'https://exchange.example', SARRAF_KEY: 'A'.repeat(43) };

const editor = z.fromJSONSchema(
  JSON.parse(readFileSync('config/bot.schema.json', 'utf8')) as z.core.JSONSchema.JSONSchema,
);

describe.each(['bot', 'paper', 'live'])('config/%s.yaml', (name) => {
  const path = `config/${name}.yaml`;
  const text = readFileSync(path, 'utf8');

  test('is a configuration without a mistake or a warning', () => {
    const read = readBotConfig(path, {
      environment: ENVIRONMENT,
      workingFolder: process.cwd(),
      readFile: (file) => ({
        text: file.startsWith('/run/secrets/') ? 'B'.repeat(43) : readFileSync(file, 'utf8'),
        isOpenToAll: false,
      }),
    });
    expect(read).toMatchObject({
      ok: true,
      warnings: [],
      config: { mode: name === 'bot' ? 'embedded' : name },
    });
  });

  test('is known to editors, references and all', () => {
    expect(text.startsWith('# yaml-language-server: $schema=./bot.schema.json\n')).toBe(true);
    expect(editor.safeParse(parse(text))).toMatchObject({ success: true });
  });
});

test.each([
  ['colour: red'],
  ['mode: dead'],
  ['health: { port: 80800 }'],
  ['drain: { within: 60 }'],
  ['drain: { within: 60 s }'],
  ['strategies: [{ market: BTCIRT }]'],
])('the schema for editors refuses %s', (text) => {
  expect(editor.safeParse(parse(text)).success).toBe(false);
});
