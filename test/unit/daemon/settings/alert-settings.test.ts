import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readBotConfig, type BotConfigReading } from '../../../../src/daemon/read-bot-config.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const folder = folderOfAllTests();
beforeAll(() => {
  writeFileSync(join(folder, 'token'), 'token-of-a-file\n', { mode: 0o600 });
});

const read = (yaml: string): BotConfigReading => {
  const file = join(folder, 'bot.yaml');
  writeFileSync(file, yaml);
  return readBotConfig(file, { environment: { TOKEN: '123456789012:token-value' }, workingFolder: folder });
};

const alertsOf = (yaml: string): unknown => {
  const reading = read(yaml);
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return reading.config.alerts;
};

const problemsOf = (yaml: string): readonly string[] => {
  const reading = read(yaml);
  return reading.ok ? [] : reading.problems.map((line) => line.replace(/^.*bot\.yaml:/, ''));
};

describe('alerts in bot.yaml', () => {
  test('are none without the section, and all rules with an empty channel list', () => {
    expect(alertsOf('')).toBeNull();
    expect(alertsOf('alerts: { channels: [] }')).toMatchObject({
      channels: [],
      groupMs: 10_000,
      escalateAfterMs: 600_000,
      summary: { dailyMinute: 21 * 60, weeklyMinute: 21 * 60 },
      rules: { unknownOrder: { afterMs: 600_000 }, bigFill: null, drawdown: { percent: 10 } },
    });
  });

  test('take their secrets from the environment or a file, and show them nowhere', () => {
    const alerts = alertsOf(`
alerts:
  channels:
    - { kind: telegram, token: "\${TOKEN}", chat: 42, commandsFrom: [7] }
    - { kind: bale, token: "file:token", chat: "@us", least: critical, step: 2 }
  quietHours: "23:00-08:00"
`) as { readonly channels: readonly { readonly token: { readonly reveal: () => string } }[] };
    expect(alerts.channels.map(({ token }) => token.reveal())).toEqual([
      '123456789012:token-value',
      'token-of-a-file',
    ]);
    expect(alerts).toMatchObject({
      channels: [
        { name: 'telegram', apiRoot: 'https://api.telegram.org' },
        { name: 'bale', step: 2 },
      ],
      quietHours: { fromMinute: 23 * 60, toMinute: 32 * 60 },
    });
    expect(JSON.stringify(alerts)).not.toMatch(/token-value|token-of-a-file/);
  });

  test('report all problems at once, without a secret', () => {
    const problems = problemsOf(`
alerts:
  channels:
    - { kind: telegram, token: "123:plain-token-1234567", chat: 42, colour: red }
    - { kind: pigeon }
    - { kind: discord, url: "hooks/secret-part-123456" }
  rules: { drawdown: { percent: 0 }, unknownOrder: { after: soon } }
  quietHours: late
  summary: { daily: "25:00" }
`);
    const text = problems.join('\n');
    for (const path of [
      'alerts.channels[0].colour',
      'alerts.channels[1].kind',
      'alerts.channels[2].url',
      'alerts.rules.drawdown.percent',
      'alerts.rules.unknownOrder.after',
      'alerts.quietHours',
      'alerts.summary.daily',
    ])
      expect(text).toContain(path);
    expect(text).not.toMatch(/plain-token|secret-part/);
  });

  test('warn of a token that is written in plain', () => {
    const reading = read('alerts: { channels: [{ kind: telegram, token: "123:plain-token", chat: 42 }] }');
    expect(reading.warnings.join('\n')).toContain('the token is written in plain');
    expect(reading.warnings.join('\n')).not.toContain('plain-token');
  });

  test('refuse two channels of one name', () => {
    const channel = '{ kind: telegram, token: "${TOKEN}", chat: 42 }';
    expect(problemsOf(`alerts:\n  channels:\n    - ${channel}\n    - ${channel}`).join()).toContain(
      'expected a name that no other channel has, was telegram',
    );
  });

  test('are in English or Persian', () => {
    const reading = read('language: fa');
    expect(reading.ok && reading.config.language).toBe('fa');
    expect(problemsOf('language: de').join()).toContain('language');
  });
});
