import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { doctorCommand, recordText } from '../../../../src/cli/commands/doctor.ts';
import { FaultPlan } from '../../../../src/simulator-server/fault-plan.ts';
import { PANEL_TOKEN, serveAccount, type ServedAccount } from '../../../support/served-account.ts';
import { runCommand, type Ended } from '../api/run-command.ts';
import { writeConfig, BY_TOKEN, configOf, examine } from './doctor-world.ts';
import { anonymousReply, Pseudonyms } from '../../../../src/cli/doctor/anonymous-reply.ts';
import type { SeenReply } from '../../../../src/cli/doctor/check-exchange.ts';
import { failed, printed } from '../../../support/sarraf-here.ts';

let seen: readonly SeenReply[];
beforeAll(async () => {
  served = await serveAccount();
  ({ seen } = await examine(served, { credentials: BY_TOKEN }));
});
const record = (replies: readonly SeenReply[]): string => {
  const { exchange } = configOf(writeConfig(served));
  const findings = [{ check: 'clock', verdict: 'ok', text: '/home/somebody', remedy: null }] as const;
  return recordText(replies, { findings, credentials: exchange.credentials });
};

/** Plants secrets in place of texts, ids of people and numbers; each planted value is unique. */
function planter(): { readonly plant: (value: unknown) => unknown; readonly planted: readonly string[] } {
  const planted: string[] = [];
  const secret = (kind: number): string => {
    const count = planted.length + 100;
    const text = [
      `sk${count}Xy-Zz_${count}q`,
      `person.${count}@mail.example`,
      `0912${count}4567`,
      `+98912${count}4567`,
      `IR${count}000000000000123456789`,
      `علی ${count}رضایی`,
      `6219861${count}0004321`,
      `a phrase with Secretive${count} in it`,
      `https://user${count}.example/?token=t${count}oken`,
    ][kind % 9]!;
    planted.push(text);
    return text;
  };
  let kind = 0;
  const plant = (value: unknown): unknown => {
    kind += 1;
    if (Array.isArray(value)) return [...value.map(plant), secret(kind)];
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).map(([name, inner]) => [name, plant(inner)] as const);
      return Object.fromEntries([...fields, [secret(kind), secret(kind + 1)]]);
    }
    if (typeof value === 'number') {
      const number = 989_120_000_000 + planted.length * 7_919 + 1;
      planted.push(String(number));
      return number;
    }
    return secret(kind);
  };
  return { plant, planted };
}

/** Returns the parts that would give a secret away: the whole, and each of its longer words. */
const partsOf = (secret: string): readonly string[] => [
  secret,
  ...secret
    .split(/[\s/:?=@]+/u)
    .filter((part) => part.length >= 6 && !/^(?:phrase|example|mail\.example)$/.test(part)),
];

const NUMBERS =
  '{"price":"49876543.2100","fee":0E-10,"amount":"0.0020","created_at":"2026-01-05T10:00:00+03:30"}';

const write = (isPublic: boolean): unknown =>
  anonymousReply({ status: 200, headers: {}, body: NUMBERS }, { isPublic, pseudonyms: new Pseudonyms() })
    .body;

describe('a record', () => {
  test('has every reply with its status and form, and nothing of whose it is', () => {
    const text = record(seen);
    const { replies, checks } = JSON.parse(text);
    expect(replies.map(({ request }: { request: string }) => request)).toContain('GET /users/profile');
    expect(checks).toEqual([{ check: 'clock', verdict: 'ok' }]);
    const [options] = replies;
    expect(options.reply).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: { status: 'ok' },
    });
    for (const own of ['trader', 'panel-token', 'somebody', served.baseUrl, '0100-200-300', 'Sample'])
      expect(text).not.toContain(own);
  });

  test('shows no secret that is planted in every field, name of a field and header of every reply', () => {
    const { plant, planted } = planter();
    const replies = seen.map((one): SeenReply => {
      const body = JSON.stringify(plant(JSON.parse(one.reply?.body ?? '{}')));
      const headers = {
        ...one.reply?.headers,
        ...(plant({ server: 'x', 'x-user': 'y', via: 'z' }) as object),
      };
      return { ...one, path: `${one.path}?who=${planted[0]}`, reply: { status: 200, headers, body } };
    });
    const text = record(replies);
    expect(planted.length).toBeGreaterThan(150);
    expect(planted.flatMap(partsOf).filter((part) => text.includes(part))).toEqual([]);
  });

  test('shows no secret of a web page, nor of a text that is no JSON', () => {
    const { planted, plant } = planter();
    const page = Array.from(
      { length: 9 },
      () => `<p title="${String(plant(''))}">${String(plant(''))}</p>`,
    ).join('\n');
    const { body } = anonymousReply(
      { status: 502, headers: {}, body: `<html><title>502 Bad Gateway</title>${page}` },
      { isPublic: true, pseudonyms: new Pseudonyms() },
    );
    expect(body).toMatch(/^<html><title>502 Bad Gateway<\/title>/);
    expect(planted.flatMap(partsOf).filter((part) => String(body).includes(part))).toEqual([]);
  });

  test('replaces equal texts and ids alike, over all replies', () => {
    const pseudonyms = new Pseudonyms();
    const anonymous = (value: unknown): unknown =>
      anonymousReply(
        { status: 200, headers: {}, body: JSON.stringify(value) },
        { isPublic: false, pseudonyms },
      ).body;
    expect(anonymous({ orders: [{ id: 4711, pairId: 4712, user: 'ali', status: 'Active' }] })).toEqual({
      orders: [{ id: 1, pairId: 2, user: 'text-1', status: 'Active' }],
    });
    expect(anonymous({ orderId: 4712, message: 'No Order of ali: 4 of 98765 matches' })).toMatchObject({
      orderId: 2,
      message: 'No Order of text-1: 4 of 10000 matches',
    });
  });

  test('keeps the form of numbers and times: their length, and three digits where all may see them', () => {
    expect(write(true)).toEqual({
      price: '49800000.0000',
      fee: '0E-10',
      amount: '0.0020',
      created_at: '2026-01-05T10:00:00+03:30',
    });
    expect(write(false)).toMatchObject({ price: '10000000.0000', fee: '0E-10', amount: '0.0010' });
  });
});

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
      expect(await doctor(args)).toEqual(printed(/\d+ ok$/));
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
    expect(await doctor(args)).toEqual(failed(2, 'expected'));
  });
});
