import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { doctorCommand } from '../../../../src/cli/commands/doctor.ts';
import { FaultPlan } from '../../../../src/simulator-server/fault-plan.ts';
import { PANEL_TOKEN, serveAccount, type ServedAccount } from '../../../support/served-account.ts';
import { runCommand, type Ended } from '../api/run-command.ts';
import { writeConfig } from './doctor-world.ts';

interface Page {
  readonly ok: boolean;
  readonly requests: { readonly planned: number; readonly sent: number };
  readonly checks: readonly {
    readonly check: string;
    readonly verdict: string;
    readonly text: string;
    readonly remedy: string | null;
  }[];
}

let served: ServedAccount;
let config: string;
beforeAll(async () => {
  served = await serveAccount();
  config = writeConfig(served, { credentials: '{ token: "${TOKEN}" }' });
});
afterAll(async () => served.close());

const doctor = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> =>
  runCommand(doctorCommand, args, {
    environment: { TOKEN: PANEL_TOKEN, ...environment },
    workingFolder: served.folder,
  });

const pageOf = ({ out }: Ended): Page => JSON.parse(out);

const verdicts = ({ checks }: Page, verdict: string): readonly string[] =>
  checks.filter((one) => one.verdict === verdict).map(({ check }) => check);

describe('sarraf doctor', () => {
  test('checks the machine where no configuration is named', async () => {
    // The image always sets this variable.
    vi.stubEnv('SARRAF_DATA', served.folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const ended = await doctor(['--json']);
    expect(ended).toMatchObject({ code: 0, error: '' });
    const page = pageOf(ended);
    expect(page).toMatchObject({ ok: true, requests: { planned: 0, sent: 0 } });
    expect(page.checks.map(({ check }) => check)).toEqual(expect.arrayContaining(['Node', 'memory', 'disk']));
    expect(verdicts(page, 'not checked')).toEqual(['configuration']);
  });

  test('checks a live bot from machine to money, and records what it got', async () => {
    const record = join(served.folder, 'replies.json');
    const ended = await doctor(['--config', config, '--json', '--record', record]);
    expect(ended.code).toBe(0);
    expect(ended.error).toMatch(
      /^doctor sends at most 9 requests to http:.*; all of them only read\.\n8 replies are in/,
    );
    const page = pageOf(ended);
    expect(page).toMatchObject({ ok: true, requests: { planned: 9, sent: 8 } });
    const order = page.checks.map(({ check }) => check);
    const places = [
      'configuration',
      'data folder',
      'ledger',
      'mirror',
      'plan',
      'address',
      'credential',
      'money',
    ];
    expect(places.map((check) => order.indexOf(check))).toEqual(
      places.map((check) => order.indexOf(check)).toSorted((left, right) => left - right),
    );
    expect(order).toEqual(expect.arrayContaining(places));
    expect(JSON.parse(readFileSync(record, 'utf8')).replies).toHaveLength(8);
    expect(statSync(record).mode & 0o077).toBe(0);
    expect(ended.out + readFileSync(record, 'utf8')).not.toContain(PANEL_TOKEN);
  });

  test('does what every command of docs/doctor.md says', async () => {
    const commands = readFileSync('docs/doctor.md', 'utf8').match(/^sarraf doctor.*$/gm) ?? [];
    expect(commands).toHaveLength(4);
    for (const command of commands) {
      const [, , ...args] = command.replace(/ *#.*/, '').replace('bot.yaml', config).split(' ');
      expect(await doctor(args)).toMatchObject({ code: 0, out: expect.stringMatching(/\d+ ok$/) });
    }
  });

  test('asks nothing offline, and nothing at all during a lockout', async () => {
    const offline = pageOf(await doctor(['--config', config, '--offline', '--json']));
    expect(offline.requests).toEqual({ planned: 0, sent: 0 });
    expect(verdicts(offline, 'not checked')).toEqual(['exchange']);
    served.simulation.faulty.plan = new FaultPlan({
      seed: 1,
      rules: [{ kind: 'too-many-requests', backOff: 3_600, endpoints: ['limitations'] }],
    });
    const locked = await doctor(['--config', config, '--json']);
    expect(pageOf(locked).requests).toEqual({ planned: 9, sent: 5 });
    served.simulation.faulty.plan = new FaultPlan();
    const after = await doctor(['--config', config, '--json']);
    expect(after.code).toBe(1);
    expect(pageOf(after).requests).toEqual({ planned: 0, sent: 0 });
    expect(verdicts(pageOf(after), 'problem')).toEqual(['lockout']);
    expect(after.error).toBe('there is a problem');
  });

  test('tells every problem of a configuration, and checks what does not need it', async () => {
    const file = join(served.folder, 'wrong.yaml');
    writeFileSync(
      file,
      `mode: live\nexchange: { baseUrl: 'https://exchange.example', credentials: { token: '\${NO_TOKEN}' } }\nstrategies: [{ plugin: ma-cross, market: BTCIRT }]\ndata: { folder: '${served.folder}/none' }\n`,
      { mode: 0o600 },
    );
    const { code, out } = await doctor(['--config', file, '--offline']);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^problem +configuration: .*wrong\.yaml:2:.*expected the environment variable NO_TOKEN, which is not set: .*\n +-> correct /m,
    );
    expect(out).toMatch(/^ok +plan: what is polled fits the limits$/m);
    const live = await doctor(['--config', file, '--json']);
    expect(pageOf(live).requests).toEqual({ planned: 0, sent: 0 });
    expect(live.out).toContain('nothing is asked before the configuration is right');
    expect(live.out).not.toContain('paper');
    const twice = await doctor(['--config', file, '--set', 'mode=lve', '--set', 'instance=No', '--json']);
    expect(verdicts(pageOf(twice), 'problem').length).toBeGreaterThan(1);
    expect(twice.error).toMatch(/^there are \d+ problems$/);
  });

  test.each([
    ['--record without a configuration', ['--record', 'file']],
    ['--record offline', ['--config', 'bot.yaml', '--record', 'file', '--offline']],
    ['--data without a configuration', ['--data', 'folder']],
    ['a wait that is no time', ['--wait', 'long']],
  ])('refuses %s', async (_, args) => {
    expect(await doctor(args)).toMatchObject({ code: 2, error: expect.stringContaining('expected') });
  });
});
