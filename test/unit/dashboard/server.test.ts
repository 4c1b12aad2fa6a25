import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createMomentAnswers } from '../../../src/daemon/answers-apart.ts';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import { closingAsync } from '../../../src/domain/closing.ts';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ControlClient } from '../../../src/daemon/control-client.ts';
import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import type { PlaceCommand } from '../../../src/engine/engine-event.ts';
import { sentence } from '../../../src/language/sentence.ts';
import { AlertOutbox } from '../../../src/alerts/alert-outbox.ts';
import { leaveRecord } from '../daemon/left-record.ts';
import { openOutboxFile } from '../../../src/alerts/outbox-file.ts';
import { DASHBOARD_ENDPOINTS, type EndpointShape } from '../../../src/dashboard/schema/endpoints.ts';
import { applyDelta } from '../../../src/domain/json-delta.ts';
import { profitsReplyOf, qualityReplyOf, tripsReplyOf } from '../../../src/dashboard/readers/trip-replies.ts';
import { profitsQuery, qualityQuery, tripsQuery } from '../../../src/dashboard/schema/trip.ts';
import { FILL_ROWS } from '../../../src/mirror/record-tables.ts';
import { dashboardOpenApi } from '../../../src/dashboard/server/openapi.ts';
import { BotLife, createEmbeddedWorld, recordRun } from '../../support/embedded-bot.ts';
import { DashboardHere } from '../../support/dashboard-here.ts';
import { folderOfAllTests, folderOfThisTest } from '../../support/temporary-folder.ts';
import { openLedger } from '../../support/ledger-worlds.ts';
import { openMirror } from '../../support/open-mirror.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { fillRecord, intentRecord } from '../mirror/mirror-fixture.ts';

const folder = folderOfAllTests();
let pageFolder: string;
let here: DashboardHere;

beforeAll(async () => {
  pageFolder = join(folder, 'page');
  mkdirSync(join(pageFolder, 'assets'), { recursive: true });
  writeFileSync(join(pageFolder, 'index.html'), '<!doctype html><title>sarraf</title>');
  writeFileSync(join(pageFolder, 'assets', 'main-1a2b3c4d.js'), 'export {};'.repeat(100));
  writeFileSync(join(folder, 'secret.txt'), 'nobody may read this');
  writeFileSync(join(folder, 'report.html'), '<!doctype html><script>alert(1)</script>');
  cpSync('data/example', join(folder, 'catalogue'), { recursive: true });
  const world = createEmbeddedWorld({ seed: 7 });
  const life = await BotLife.prepare(world, join(folder, 'embedded.sqlite'));
  life.bot.shell.start();
  await life.run(240_000);
  life.mirror.close();
  life.bot.shell.close();
  here = await new DashboardHere(folder, pageFolder).listen();
});

afterAll(async () => {
  await here.close();
});

/** Returns the status of an answer and the code of its error. */
const codeOf = ({ status, json }: Awaited<ReturnType<DashboardHere['api']>>) => [status, json['error'].code];

/** Returns the schema with no fields allowed but the declared ones. */
function strict(schema: z.ZodType): z.ZodType {
  const json = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return z.fromJSONSchema(json);
}

const NOTED = fillRecord({ strategy: 'grid', orderKey: 'noted' });

/** Stores an entry that waits for a person in the mirror of the bot. */
function waitingEntry() {
  const intent = intentRecord({
    id: 'i3f',
    strategy: 'grid',
    approval: 'waiting',
    expiresAtMs: Date.UTC(2100, 0, 1),
    bound: parseUnits('60000000000'),
    best: parseUnits('60000000000'),
    value: parseUnits('600000000'),
  });
  const store = openMirror(join(folder, 'embedded.sqlite'), intent.atMs);
  store.apply([{ kind: 'intent', intent }], { atMs: intent.atMs, isDurable: true });
  store.close();
  return { intent };
}

/** Reads an address as one who may have an earlier reply of it. */
async function readAgain(of: DashboardHere, tag?: string) {
  const headers = {
    ...of.bearer(),
    'a-im': 'sarraf-delta',
    ...(tag === undefined ? {} : { 'if-none-match': tag }),
  };
  const { status, text, headers: replied } = await of.ask('/api/v1/overview', { headers });
  return { status, json: JSON.parse(text), tag: replied['etag'], im: replied['im'] };
}

describe('a reader that has an earlier reply', () => {
  test('gets what has changed since then, and the whole without an earlier one', async () => {
    const first = await readAgain(here);
    expect(first).toMatchObject({ status: 200, im: undefined });
    // A tag of another address or server names nothing here.
    expect((await readAgain(here, '"other"')).status).toBe(200);
    const second = await readAgain(here, first.tag);
    expect(second).toMatchObject({ status: 226, im: 'sarraf-delta' });
    const { json: whole } = await here.api('/overview');
    const applied = applyDelta(first.json, second.json) as typeof whole;
    expect({ ...applied, nowMs: 0 }).toEqual({ ...whole, nowMs: 0 });
    expect(JSON.stringify(second.json).length).toBeLessThan(JSON.stringify(whole).length / 5);
  });

  test('has nothing that a server knows which was begun anew', async () => {
    const before = await new DashboardHere(folderOfThisTest(), pageFolder).listen();
    const { tag } = await readAgain(before);
    await before.close();
    const anew = await new DashboardHere(folderOfThisTest(), pageFolder).listen();
    // It has given as many replies.
    expect((await readAgain(anew)).tag).not.toBe(tag);
    expect((await readAgain(anew, tag)).status).toBe(200);
    await anew.close();
  });
});

const hoursFrom = (fromMs: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => fromMs + index * 3_600_000);

describe('what is read', () => {
  test.each([
    ['session', '/session'],
    ['overview', '/overview'],
    ['trips', '/trips?by=profit&limit=5'],
    ['profits', '/profits?by=month&calendar=jalali'],
    ['quality', '/quality?by=kind'],
    ['shadows', '/shadows'],
    ['equity', '/equity?from=0'],
    ['strategy', '/strategies/market-maker'],
    ['rules', '/strategies/market-maker/rules'],
    ['conditions', '/markets/BTCIRT/conditions'],
    ['markets', '/markets'],
    ['terms', '/markets/BTCIRT/terms'],
    ['candles', '/markets/BTCIRT/candles?timeframe=5m&limit=3'],
    ['marks', '/markets/btc-rls/marks'],
    ['quotes', '/markets/BTCIRT/quotes'],
    ['recordings', '/recordings'],
    ['recorded', '/recordings/BTCUSDT/candles?limit=3'],
    ['book', '/markets/BTCIRT/book'],
    ['plots', '/markets/BTCIRT/plots'],
    ['orders', '/orders?limit=3'],
    ['fills', '/fills?strategy=market-maker'],
    ['intents', '/intents?status=working'],
    ['signals', '/signals?strategy=market-maker'],
    ['budgets', '/budgets'],
    ['books', '/books'],
    ['locks', '/locks'],
    ['log', '/log?level=info'],
    ['alerts', '/alerts?state=open'],
    ['reports', '/reports'],
    ['bots', '/bots'],
  ] as const)('is as %s declares it', async (name, path) => {
    const shape: EndpointShape = DASHBOARD_ENDPOINTS[name];
    const { status, json } = await here.api(path);
    expect({ status, json }).toMatchObject({ status: 200 });
    expect(strict(shape.reply ?? z.never()).safeParse(json).error).toBeUndefined();
  });

  test('is of the bot: what it traded, and that nobody asked the exchange for a page', async () => {
    const { json } = await here.api('/overview');
    expect(json).toMatchObject({
      bot: { state: 'ended', isEmbedded: true },
      requestsBecauseOfPage: 0,
      strategies: [{ name: 'ma-cross' }, { name: 'market-maker', markets: ['BTCIRT'], currency: 'rls' }],
    });
  });

  test('is computed of all fills beside the server, which reads none of them for it', async () => {
    const read = vi.spyOn(FILL_ROWS, 'iterate');
    const paths = ['/trips', '/profits?by=month', '/quality?by=kind', '/profits?by=month'];
    const [trips, profits, quality, again] = await Promise.all(paths.map(async (path) => here.api(path)));
    expect(read).not.toHaveBeenCalled();
    const reader = new MirrorReader(join(folder, 'embedded.sqlite'));
    expect(trips?.json).toEqual(tripsReplyOf(reader, tripsQuery.parse({})));
    expect(profits?.json).toEqual(profitsReplyOf(reader, profitsQuery.parse({ by: 'month' })));
    expect(quality?.json).toEqual(qualityReplyOf(reader, qualityQuery.parse({ by: 'kind' })));
    expect(read).toHaveBeenCalled();
    expect(again?.json).toEqual(profits?.json);
    expect(processesWith('dashboard/readers/replies-apart', folder)).toHaveLength(1);
    reader.close();
    read.mockRestore();
  });

  test('is of the recorded candles too: their newest, or those around a time', async () => {
    const { recordings } = (await here.api('/recordings')).json;
    const found = recordings.find(
      ({ market, timeframe }: { market: string; timeframe: string }) =>
        `${market} ${timeframe}` === 'BTCUSDT 1h',
    );
    expect(found).toMatchObject({ quote: 'usdt' });
    const timeframes = recordings.map(({ timeframe }: { timeframe: string }) => timeframe);
    expect(timeframes.slice(0, 3)).toEqual(['1m', '5m', '1h']);
    const timesOf = async (query: string) =>
      (await here.api(`/recordings/BTCUSDT/candles?${query}`)).json.candles.map(
        ({ openTimeMs }: { openTimeMs: number }) => openTimeMs,
      );
    expect(await timesOf('limit=3')).toEqual(hoursFrom(found.toMs - 2 * 3_600_000, 3));
    const around = found.fromMs + 10 * 3_600_000;
    expect(await timesOf(`limit=4&around=${around}`)).toEqual(hoursFrom(around - 2 * 3_600_000, 4));
    expect(await timesOf('around=1000')).toEqual([]);
    expect(codeOf(await here.api('/recordings/BTCUSDT/candles?timeframe=1d'))).toEqual([404, 'not-found']);
    expect(codeOf(await here.api('/recordings/..%2F../candles'))).toEqual([400, 'invalid-request']);
  });

  test('says why orders wait, as the terminal does, also of a bot that has stored nothing', async () => {
    const own = folderOfThisTest();
    const ledger = join(own, 'ledger.sqlite');
    const subjects = { ip: 'here', token: 'us' };
    openLedger(ledger, { subjects }).close();
    leaveRecord(own, { ledger, subjects: Object.values(subjects) });
    const waiting = await new DashboardHere(own).listen();
    const { waits } = (await waiting.api('/overview')).json;
    await waiting.close();
    expect(waits.reason).toMatch(/^trading can begin 600 s after the exchange's first answer, in 7\d\d s/);
    expect(waits.reasonFacts).toMatchObject({
      code: 'begins-unless',
      facts: { begins: { facts: { wait: '600 s' } } },
    });
    expect((await here.api('/overview')).json['waits']).toBeNull();
  });

  test('is computed of rules beside the bot; a strategy with handlers has none', async () => {
    const own = folderOfThisTest();
    copyFileSync(join(folder, 'embedded.sqlite'), join(own, 'embedded.sqlite'));
    const strategies = ['ma-cross', 'market-maker'].map((name) => {
      const start = { file: resolve('strategies', `${name}.ts`), timeframe: '1m' as const, params: {} };
      return { name, plugin: name, market: 'BTCIRT', start };
    });
    leaveRecord(own, { mode: 'embedded', strategies });
    const there = await new DashboardHere(own).listen();
    const paths = ['ma-cross/rules', 'market-maker/rules', 'ma-cross/rules?market=ETHIRT'];
    const [rules, handlers, member, conditions, early] = await Promise.all(
      [
        ...paths.map((path) => `/strategies/${path}`),
        '/markets/BTCIRT/conditions?timeframe=1m',
        '/markets/BTCIRT/conditions?timeframe=1m&around=1000',
      ].map(async (path) => (await there.api(path)).json),
    );
    await there.close();
    expect(rules).toMatchObject({
      markets: ['BTCIRT'],
      problem: null,
      rules: {
        before: [{ reasonFacts: { code: 'rules-no-bot' } }],
        enter: [{ reason: 'fast is above slow', depth: 0 }],
        exit: [{ reason: 'fast is below slow', left: expect.any(Number), sinceMs: expect.any(Number) }],
      },
    });
    expect(strict(DASHBOARD_ENDPOINTS.rules.reply).safeParse(rules).error).toBeUndefined();
    expect(strict(DASHBOARD_ENDPOINTS.conditions.reply).safeParse(conditions).error).toBeUndefined();
    expect(conditions).toMatchObject({
      strategies: [{ strategy: 'ma-cross', problem: null, knownSinceMs: expect.any(Number) }],
    });
    const [before] = early['strategies'];
    expect(before.problem.reason).toMatch(/^expected a closed bar of BTCIRT \(1m\), found none before/);
    expect(handlers).toEqual({ markets: [], problem: null, rules: null });
    expect(member).toMatchObject({ problem: { reason: expect.stringContaining('was ETHIRT') }, rules: null });
  });

  test('says why no alerts are watched for, where the run has noted that', async () => {
    const own = folderOfThisTest();
    const note = { mode: 'embedded', instance: 'a', alerts: 'other speed', strategies: [] };
    writeFileSync(join(own, 'run.json'), JSON.stringify(note));
    const off = await new DashboardHere(own).listen();
    const { json } = await off.api('/overview');
    await off.close();
    expect(json['alertsOff']).toBe('other speed');
    expect((await here.api('/overview')).json['alertsOff']).toBeNull();
  });

  test('comes page by page, each row once', async () => {
    const seen: string[] = [];
    for (let before = ''; ;) {
      const { json } = await here.api(`/fills?limit=7${before === '' ? '' : `&before=${before}`}`);
      seen.push(...json['items'].map((item: { readonly tradeId: string }) => item.tradeId));
      if (json['next'] === null) break;
      before = json['next'];
    }
    const { json } = await here.api('/fills?limit=500');
    expect(seen.length).toBeGreaterThan(7);
    expect(seen).toEqual(json['items'].map((item: { readonly tradeId: string }) => item.tradeId));
  });

  test('is an order with its whole life', async () => {
    const { json } = await here.api('/orders?limit=1');
    const { key, strategy } = json['items'][0];
    const order = await here.api(`/orders/${key}`);
    expect(order.json['orders'][0]).toMatchObject({ key, strategy });
    expect(order.json['steps'].map((step: { readonly kind: string }) => step.kind)).toContain('order');
    const [placed] = order.json['replies'];
    expect(placed).toMatchObject({ orderKey: key, step: 'place', endpoint: 'addOrder', httpStatus: 200 });
    expect(JSON.parse(placed.body)).toMatchObject({ order: { clientOrderId: key } });
    expect((await here.api('/orders/none')).status).toBe(404);
  });

  test.each([
    ['/orders?limit=501', 'limit'],
    ['/orders?before=x', 'before'],
    ['/equity?from=0&to=', 'to'],
    ['/orders?strategie=x', undefined],
    ['/markets/nothing/book', 'symbol'],
    ['/markets/BTCIRT/candles?timeframe=7m', 'timeframe'],
  ])('refuses %s and names what is wrong', async (path, field) => {
    const { status, json } = await here.api(path);
    expect({ status, ...json['error'] }).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(json['error'].field).toBe(field);
  });
});

describe('who may', () => {
  test('nobody without a token, and no secret is ever in an answer', async () => {
    for (const { method, path, role } of Object.values(DASHBOARD_ENDPOINTS) as EndpointShape[]) {
      if (role === null) continue;
      const { status, text } = await here.ask(`/api/v1${path}`, { method });
      expect({ path, status }).toEqual({ path, status: 401 });
      expect(text).not.toContain(here.operate);
    }
  });

  test('not give commands with a token that reads', async () => {
    const headers = here.bearer(here.read);
    expect((await here.api('/overview', undefined, headers)).status).toBe(200);
    expect(codeOf(await here.api('/actions/halt', { key: 'no' }, headers))).toEqual([403, 'not-allowed']);
  });

  test('the page sign in, give a command and sign out', async () => {
    const page = await here.signIn();
    expect((await here.api('/session', undefined, page)).json).toMatchObject({ name: 'ali' });
    expect((await here.api('/actions/halt', { key: 'page', dryRun: true }, page)).status).toBe(200);
    const out = await here.ask('/api/v1/session', { method: 'DELETE', headers: page });
    expect({ status: out.status, cookie: out.headers['set-cookie']?.[0] }).toMatchObject({ status: 200 });
    expect((await here.api('/session', undefined, page)).status).toBe(401);
  });

  test('the cookie go nowhere else', async () => {
    const { headers } = await here.api('/session', { token: here.read }, {});
    expect(headers['set-cookie']?.[0]).toMatch(
      /^sarraf_session_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
  });

  test.each([
    ['a form of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without our word', { 'x-csrf-token': '' }],
  ])('not %s with the cookie of a session', async (_what, headers) => {
    const page = await here.signIn();
    const answer = await here.api('/actions/halt', { key: 'form' }, { ...page, ...headers });
    expect(codeOf(answer)).toEqual([403, 'wrong-origin']);
  });

  test('a form not send a body that is no JSON', async () => {
    const page = await here.signIn();
    const { status } = await here.ask('/api/v1/actions/halt', {
      method: 'POST',
      headers: { ...page, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'key=form',
    });
    expect(status).toBe(400);
  });

  test('no name that leads here from elsewhere', async () => {
    for (const host of ['evil.example', 'evil.example:8420', '127.0.0.1.evil.example']) {
      const { status } = await here.ask('/api/v1/overview', { headers: { ...here.bearer(), host } });
      expect({ host, status }).toEqual({ host, status: 421 });
    }
    const headers = { ...here.bearer(), host: 'Bot.example.com:443' };
    expect(await here.ask('/api/v1/overview', { headers })).toMatchObject({ status: 200 });
  });

  test('a guesser wait, and those with a right token or a session not', async () => {
    await using guessed = closingAsync(await new DashboardHere(folderOfThisTest()).listen());
    const page = await guessed.signIn();
    const codes: string[] = [];
    for (let tries = 0; tries < 7; tries += 1)
      codes.push((await guessed.api('/session', undefined, guessed.bearer('wrong'))).json['error'].code);
    expect(codes).toEqual([...Array<string>(6).fill('wrong-token'), 'too-many-tries']);
    const wrong = await guessed.api('/session', undefined, guessed.bearer('wrong'));
    expect([wrong.status, wrong.headers['retry-after']]).toEqual([429, '1']);
    expect((await guessed.api('/session', undefined, guessed.bearer())).status).toBe(200);
    expect((await guessed.api('/session', undefined, page)).status).toBe(200);
  });
});

describe('what is sent', () => {
  test('is refused where it is too large or too deep', async () => {
    const large = await here.api('/actions/halt', { key: 'x', reason: 'x'.repeat(17_000) });
    expect(codeOf(large)).toEqual([413, 'too-large']);
    const deep = await here.api('/actions/halt', `{"key":${'['.repeat(4_000)}${']'.repeat(4_000)}}`);
    const tooDeep = 'expected a body of at most 6 levels, was a deeper one';
    expect([deep.status, deep.json['error'].message]).toEqual([400, tooDeep]);
    for (const body of ['', '[]', 'null', '{"key"', '{"__proto__":{"role":"operate"},"key":"x"}'])
      expect((await here.api('/actions/halt', body)).status).toBe(400);
  });

  test('reaches no file but those of the page', async () => {
    for (const path of [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/assets/../../secret.txt',
      String.raw`/..\secret.txt`,
      '//etc/passwd',
      '/index.html%00.js',
      '/api/v1/reports/..%2f..%2fsecret.txt',
    ]) {
      const { status, text } = await here.ask(path, { headers: here.bearer() });
      expect({ path, status }).toEqual({ path, status: path.includes('%00') ? 404 : status });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain('nobody may read');
    }
  });

  test.each(['/api/v1/orders/' + 'a'.repeat(101), '/api/v1/orders/%zz', '/%'])(
    'is answered in our own words where it is no address: %s',
    async (path) => {
      const { status, text, headers } = await here.ask(path, { headers: here.bearer() });
      expect({ status, code: JSON.parse(text).error.code }).toEqual({ status: 400, code: 'invalid-request' });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    },
  );

  test('opens no stream for a look at its headers', async () => {
    const { status } = await here.ask('/api/v1/events', { method: 'HEAD', headers: here.bearer() });
    expect(status).toBe(405);
  });

  test('has the methods that an address knows', async () => {
    const { status, headers } = await here.ask('/api/v1/overview', { method: 'PUT', headers: here.bearer() });
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET' });
  });

  test('makes no line of its own in a log or a header', async () => {
    const { json, headers } = await here.api('/actions/cancel', {
      key: 'lines',
      dryRun: true,
      order: 'x\r\nset-cookie: a=b\n\u001B[31mERROR\u2028',
    });
    expect(json['error'].message).not.toMatch(/[\p{Cc}\p{Zl}]/u);
    expect(headers['set-cookie']).toBeUndefined();
    expect(here.errors.join('')).not.toMatch(/\n/);
  });
});

describe('the page', () => {
  test('is served with a policy that runs nothing else, and kept for ever by the names of its files', async () => {
    const page = await here.ask('/');
    expect(page).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
    });
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    const again = await here.ask('/', { headers: { 'if-none-match': page.headers.etag ?? '' } });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
    const script = await here.ask('/assets/main-1a2b3c4d.js', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(script.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  test('shows reports in a sandbox, with no cookie and no reach', async () => {
    const { json } = await here.api('/reports');
    const { id } = json['reports'].find((report: { readonly name: string }) => report.name === 'report.html');
    const { status, headers } = await here.ask(`/api/v1/reports/${id}`, { headers: here.bearer() });
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^sandbox allow-scripts; default-src 'none'/);
  });
});

describe('a command', () => {
  test('says its cost as the command line does, and does nothing', async () => {
    const { json } = await here.api('/actions/cancel', { key: 'cost', dryRun: true, isAll: true });
    expect(json).toMatchObject({ dryRun: true, requests: json['cancelCount'] });
    expect(json['text']).toMatch(
      /(?:own orders? (?:is|are) open; at \d+ cancels in 60 s|no own order is open)/,
    );
    expect((await here.api('/actions/cancel', { key: 'cost', isAll: true })).json['error'].code).toBe(
      'no-bot',
    );
  });

  test('is done once under one key, and another command not under it', async () => {
    const lock = { key: 'once', market: 'BTCIRT', forMs: 3_600_000, reason: 'a\nb' };
    const first = await here.api('/actions/lock', lock);
    const second = await here.api('/actions/lock', lock);
    expect(second.json).toEqual(first.json);
    expect(codeOf(await here.api('/actions/lock', { ...lock, reason: 'c' }))).toEqual([409, 'key-taken']);
    const { json } = await here.api(`/actions/${first.json['id']}`);
    expect(json).toMatchObject({ id: first.json['id'], state: 'waiting' });
    expect((await here.api('/locks')).json['waiting']).toEqual([
      { kind: 'lock', name: 'hand', strategy: null, market: 'BTCIRT' },
    ]);
  });

  test('on an order says its value, its fee, and what the checks of the running bot say to it', async () => {
    const order = {
      key: 'hand',
      strategy: 'grid',
      market: 'BTCIRT',
      side: 'sell',
      amount: '0.01',
      price: '60000000000',
    };
    const dryRun = async () => here.api('/actions/order', { ...order, dryRun: true });
    const { json } = await here.api('/markets/BTCIRT/terms');
    expect(json).toMatchObject({
      free: { base: expect.any(String), quote: expect.any(String) },
      feeShare: expect.stringMatching(/^0\.00\d+$/),
      budget: null,
    });
    const fee = String(Number(json['feeShare']) * 600_000_000);
    const places = [{ market: 'BTCIRT', side: 'sell', amount: '0.01', value: '600000000', fee }];
    expect((await dryRun()).json).toMatchObject({ requests: 1, places, checks: null });
    using _lock = claimDataFolder(folder);
    const inbox = new ControlInbox(folder);
    const commands: PlaceCommand[] = [];
    const stop = inbox.listen(
      ({ id, command }) => {
        if (command.kind !== 'place') return;
        commands.push(command);
        inbox.done(id, { ok: false, message: sentence('no-strategy', { strategy: 'grid' }), left: [] });
      },
      (error) => here.errors.push(String(error)),
    );
    const { json: checked } = await dryRun();
    expect(checked['checks']).toMatchObject({ ok: false, message: 'this bot has no strategy grid' });
    expect(commands).toMatchObject([{ kind: 'place', amount: '0.01', isDryRun: true }]);
    stop();
    inbox.close();
    // Nothing of it is left, so that no key of a real command is forgotten for it.
    using client = new ControlClient(folder);
    expect(client.find(commands[0]?.key ?? '')).toBeNull();
  });

  test('on an entry says what it buys, and is refused for one that does not wait', async () => {
    const { intent } = waitingEntry();
    // The overview is shared for a moment, as a test before may have read it.
    await expect
      .poll(async () => (await here.api('/overview')).json['approvals'])
      .toMatchObject([
        {
          id: intent.id,
          amount: '0.01',
          coin: 'btc',
          value: '600000000',
          bound: '60000000000',
          currency: 'rls',
        },
      ]);
    const body = { key: 'approval', entry: intent.id };
    const cost = await here.api('/actions/approve', { ...body, dryRun: true });
    expect(cost.json).toMatchObject({
      requests: 1,
      places: [{ market: 'BTCIRT', side: 'buy', amount: '0.01', value: '600000000', currency: 'rls' }],
      text: `This approves ${intent.id}: grid buys about 0.01 btc in BTCIRT by place for 600,000,000 rls at 60,000,000,000 rls at most. It begins if every check allows it.`,
    });
    const decline = await here.api('/actions/decline', { ...body, dryRun: true });
    expect(decline.json).toMatchObject({ requests: 0, text: expect.stringContaining('Nothing is sent.') });
    expect(codeOf(await here.api('/actions/approve', body))).toEqual([409, 'no-bot']);
    expect(codeOf(await here.api('/actions/approve', body, here.bearer(here.read)))).toEqual([
      403,
      'not-allowed',
    ]);
    const page = { ...(await here.signIn()), origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect(codeOf(await here.api('/actions/approve', body, page))).toEqual([403, 'wrong-origin']);
    const unknown = { key: 'approval', entry: 'i0', dryRun: true };
    expect(codeOf(await here.api('/actions/approve', unknown))).toEqual([404, 'not-found']);
  });

  test('on a trade notes one line of a person, and is refused for what is no purchase', async () => {
    const store = openMirror(join(folder, 'embedded.sqlite'), NOTED.atMs);
    store.apply([{ kind: 'fill', fill: NOTED }], { atMs: NOTED.atMs, isDurable: true });
    store.close();
    const body = { key: 'note', entry: NOTED.orderKey, text: '  پیش‌از خبر ', tags: ['خبر'] };
    const of = async (more: object, ...by: readonly Record<string, string>[]) =>
      codeOf(await here.api('/actions/note', { ...body, ...more }, ...by));
    expect((await here.api('/actions/note', { ...body, dryRun: true })).json).toMatchObject({
      requests: 0,
      text: `This notes "پیش‌از خبر" and the tags خبر on what ${NOTED.orderKey} bought, in place of any earlier note.`,
    });
    expect(await of({})).toEqual([409, 'no-bot']);
    expect(await of({ entry: 'k0' })).toEqual([404, 'not-found']);
    expect(await of({}, here.bearer(here.read))).toEqual([403, 'not-allowed']);
    for (const wrong of [
      { text: 'a\nb' },
      { text: 'a\u202eb' },
      { text: 'a\u0000' },
      { text: 'x'.repeat(501) },
      { tags: ['a,b'] },
      { tags: ['a،b'] },
      { tags: [' '] },
      { tags: ['x'.repeat(41)] },
      { tags: Array.from({ length: 11 }, String) },
    ])
      expect({ wrong, is: await of(wrong) }).toEqual({ wrong, is: [400, 'invalid-request'] });
  });

  test('needs exactly one of an order, a scope and all', async () => {
    expect((await here.api('/actions/cancel', { key: 'none' })).status).toBe(400);
    expect((await here.api('/actions/cancel', { key: 'two', isAll: true, market: 'BTCIRT' })).status).toBe(
      400,
    );
  });
});

test('an alert is listed with its text, and acknowledged once, alone or with all older ones', async () => {
  expect((await here.api('/actions/acknowledge', { key: 'a0', alert: '1' })).status).toBe(404);
  const outbox = new AlertOutbox(openOutboxFile(folder));
  const condition = {
    key: 'halt',
    severity: 'critical',
    sinceMs: 1,
    facts: { rule: 'halted', reason: 'news' },
  } as const;
  outbox.apply({ changes: [{ kind: 'open', condition }], atMs: 2, cursor: null, channels: [] });
  outbox.close();
  const [alert] = (await here.api('/alerts?state=open')).json['items'];
  expect(alert).toMatchObject({ id: '1', severity: 'critical', text: expect.stringContaining('news') });
  expect((await here.api('/actions/acknowledge', { key: 'a1', alert: '1' })).json).toEqual({
    id: 0,
    key: 'a1',
  });
  expect((await here.api('/actions/0')).json).toMatchObject({ state: 'done' });
  const [seen] = (await here.api('/alerts?state=open')).json['items'];
  expect(seen).toMatchObject({ id: '1', acknowledgedBy: 'ali (page)' });
  const later = new AlertOutbox(openOutboxFile(folder));
  for (const key of ['b', 'c', 'd'])
    later.apply({
      changes: [{ kind: 'open', condition: { ...condition, key } }],
      atMs: 3,
      cursor: null,
      channels: [],
    });
  later.close();
  const all = { key: 'a2', alert: '3', andOlder: true };
  expect((await here.api('/actions/acknowledge', all, here.bearer(here.read))).status).toBe(403);
  expect((await here.api('/actions/acknowledge', all)).json).toMatchObject({ id: 0 });
  const items: { readonly id: string; readonly acknowledgedBy: string | null }[] = (
    await here.api('/alerts?state=open')
  ).json['items'];
  expect(items.map(({ id, acknowledgedBy }) => [id, acknowledgedBy !== null])).toEqual([
    ['4', false],
    ['3', true],
    ['2', true],
    ['1', true],
  ]);
});

/** Reads events of a stream until `enough` is true for the text so far. */
async function listen(
  path: string,
  headers: Readonly<Record<string, string>>,
  enough: (text: string) => boolean,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const asked = request(`${here.address}${path}`, { headers, agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (!enough(text)) return;
        response.destroy();
        resolve(text);
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

const idsIn = (text: string): string[] => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id = '']) => id);

describe('the stream', () => {
  test('goes on after the last row that was told, without a gap and without a row twice', async () => {
    const first = await listen('/api/v1/events', here.bearer(), (text) => text.includes('\n\n'));
    expect(first).toContain('event: reset\ndata: {"reason":"first"}');
    const [epoch = '', last = ''] = (idsIn(first)[0] ?? '').split('.');
    const from = Number(last) - 20;
    const headers = { ...here.bearer(), 'last-event-id': `${epoch}.${from}` };
    const again = await listen('/api/v1/events', headers, (text) => idsIn(text).length >= 20);
    expect(idsIn(again)).toEqual(Array.from({ length: 20 }, (_, index) => `${epoch}.${from + 1 + index}`));
  });

  test.each([
    ['zzzz.1', 'other-mirror'],
    ['x', 'first'],
    ['', 'first'],
  ])('begins anew after %j', async (id, reason) => {
    const headers = { ...here.bearer(), 'last-event-id': id };
    const text = await listen('/api/v1/events', headers, (told) => told.includes('\n\n'));
    expect(text).toContain(`event: reset\ndata: {"reason":"${reason}"}`);
  });
});

test.each([
  ['is not there', () => undefined, 'no-mirror'],
  ['is another file', (path: string) => writeFileSync(path, 'no database'.repeat(100)), 'data-unusable'],
])(
  'a mirror that is not as it was %s: the answer says so, and the next is right again',
  async (_what, spoil, code) => {
    await using own = closingAsync(await new DashboardHere(folderOfThisTest()).listen());
    const path = join(own.dataFolder, 'embedded.sqlite');
    spoil(path);
    expect(codeOf(await own.api('/orders'))).toEqual([503, code]);
    if (code === 'no-mirror') expect((await own.api('/overview')).json['bot'].state).toBe('ended');
    copyFileSync(join(folder, 'embedded.sqlite'), `${path}.new`);
    renameSync(`${path}.new`, path);
    expect((await own.api('/orders')).status).toBe(200);
    const schema = new Database(path);
    schema.pragma('user_version = 99');
    schema.close();
    copyFileSync(path, `${path}.new`);
    renameSync(`${path}.new`, path);
    expect((await own.api('/orders')).json['error'].message).toContain('version 99');
    expect(own.errors).toEqual([]);
  },
);

test('the OpenAPI page has every address, with what it takes and gives', async () => {
  const { json } = await here.api('/openapi.json');
  expect(json).toEqual(JSON.parse(JSON.stringify(dashboardOpenApi())));
  for (const { method, path, role, reply } of Object.values(DASHBOARD_ENDPOINTS) as EndpointShape[]) {
    const operation = json['paths'][`/api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`]?.[method.toLowerCase()];
    const status = role === 'signal' ? '202' : '200';
    expect(operation?.responses[status].content).toBeDefined();
    if (reply !== null) expect(operation.responses[status].content['application/json'].schema).toBeDefined();
  }
});

describe('a decision of a recorded run', { timeout: 600_000 }, () => {
  let recorded: string;
  let there: DashboardHere;
  let keys: readonly string[];
  let crossed: string;

  beforeAll(async () => {
    recorded = mkdtempSync(join(folder, 'recorded-'));
    await recordRun(recorded, 240_000);
    using reader = new MirrorReader(join(recorded, 'embedded.sqlite'));
    const all = { market: null, last: 1_000 };
    keys = reader.orders({ ...all, strategy: 'market-maker', state: 'all' }).map(({ key }) => key);
    crossed = reader.intents({ ...all, strategy: 'ma-cross', status: 'all' })[0]?.id ?? '';
    there = await new DashboardHere(recorded).listen();
  }, 600_000);

  afterAll(async () => there.close());

  /** Asks for a moment until its replay has ended. */
  async function momentOf(name: string | undefined, at = there) {
    for (;;) {
      const { status, json } = await at.api(`/orders/${name}/moment`, undefined, at.bearer(at.read));
      if (json['state'] !== 'working') return { status, json };
    }
  }

  /** A folder with the recorded run in which a file is another one. */
  function changed(
    name: 'session.json' | 'session-events.jsonl.gz',
    change: (content: Buffer) => Buffer | string,
  ) {
    const own = mkdtempSync(join(folderOfThisTest(), 'run-'));
    for (const each of ['embedded.sqlite', 'session.json', 'session-events.jsonl.gz'])
      copyFileSync(join(recorded, each), join(own, each));
    writeFileSync(join(own, name), change(readFileSync(join(recorded, name))));
    return own;
  }

  interface Begun {
    beganMs: number;
    readonly config: { readonly strategies: { plugin: object; params: object }[] };
  }

  /** A folder with the recorded run, as if it had begun otherwise. */
  const begunWith = (change: (session: Begun) => unknown) =>
    changed('session.json', (text) => {
      const session = JSON.parse(String(text)) as Begun;
      change(session);
      return JSON.stringify(session);
    });

  /** An early moment of the market maker in such a folder. */
  async function momentIn(own: string, name = keys[3]) {
    await using at = closingAsync(await new DashboardHere(own).listen());
    return (await momentOf(name, at)).json;
  }

  const filesOf = () =>
    readdirSync(recorded)
      .filter((name) => !name.includes('.sqlite-'))
      .map((name) => [name, statSync(join(recorded, name)).mtimeMs]);

  test('is shown with all that the bot knew, by its intent or its order, and nothing is written', async () => {
    const before = filesOf();
    const { json } = await momentOf(crossed);
    expect(json).toMatchObject({
      state: 'shown',
      differing: 0,
      moment: {
        event: 'answer',
        call: 'candles BTCIRT',
        phase: 'trading',
        books: [{ market: 'BTCIRT', bid: expect.any(String), ask: expect.any(String) }],
        bars: [{ series: 'BTCIRT 1m' }],
        rules: [{ isHeld: false, enter: [{ reason: 'fast is above slow', isTrue: true }] }],
        intents: [{ id: crossed, strategy: 'ma-cross', status: 'working' }],
        orders: [{ intentId: crossed, state: 'planned' }],
      },
    });
    expect(json.moment.open.map(({ strategy }: { strategy: string }) => strategy)).toContain('market-maker');
    expect(strict(DASHBOARD_ENDPOINTS.moment.reply).safeParse(json).error).toBeUndefined();
    const [{ key }] = json.moment.orders;
    expect(
      await momentIn(
        changed('session.json', (text) => text),
        key,
      ),
    ).toEqual(json);
    expect(filesOf()).toEqual(before);
    expect(codeOf(await there.api('/orders/nobody/moment'))).toEqual([404, 'not-found']);
  });

  test('is not there without a record, before its begin, after its end, and where the code decides otherwise', async () => {
    const { json } = await here.api('/orders?limit=1');
    expect((await here.api(`/orders/${json.items[0].key}/moment`)).json).toMatchObject({ state: 'off' });
    const later = begunWith((session) => (session.beganMs = Date.UTC(2026, 0, 5, 12, 2)));
    expect(await momentIn(later)).toMatchObject({ state: 'unknown', moment: null });
    const half = changed('session-events.jsonl.gz', (packed) => {
      const text = gunzipSync(packed);
      return gzipSync(text.subarray(0, text.length / 2));
    });
    expect(await momentIn(half, keys.at(-1))).toMatchObject({ state: 'unreached', moment: null });
    const other = begunWith(({ config }) =>
      Object.assign(config.strategies[1] ?? {}, { params: { spreadBps: 1.6 } }),
    );
    expect((await momentIn(other)).differing).toBeGreaterThan(0);
    const damaged = changed('session-events.jsonl.gz', () => 'no record');
    expect(await momentIn(damaged)).toMatchObject({
      state: 'unusable',
      problem: { reason: expect.stringContaining('events') },
    });
  });

  test('is replayed by code that may only read, at the lowest priority, without an environment, for a time', async () => {
    const plugin = { kind: 'file', path: join(recorded, 'own.ts') };
    const own = begunWith(({ config }) => {
      for (const each of config.strategies) each.plugin = plugin;
    });
    const written = join(own, 'written');
    const write = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(written)}, '');`;
    writeFileSync(join(recorded, 'own.ts'), write);
    expect(await momentIn(own)).toMatchObject({
      state: 'unusable',
      problem: { reason: expect.stringContaining('restricted') },
    });
    expect(existsSync(written)).toBe(false);
    writeFileSync(join(recorded, 'own.ts'), 'for (;;);');
    const answers = createMomentAnswers({ longestMs: 5_000 });
    const answer = answers.get({ dataFolder: own, name: keys[3] ?? '' });
    const [replay] = await expect
      .poll(() => replaysOf(own))
      .toHaveLength(1)
      .then(() => replaysOf(own));
    expect(replay).toMatchObject({ nice: 19, environment: expect.not.stringContaining('PATH=') });
    expect(await answer).toEqual({ kind: 'problem', reason: sentence('apart-late', { bound: '5 s' }) });
    expect(replaysOf(own)).toEqual([]);
    for (const [code, reason] of [
      [
        'for (const all = []; ; ) all.push(new Array(10_000).fill(0));',
        sentence('apart-memory', { bound: 64 }),
      ],
      ['process.exit(3);', sentence('apart-ended', { how: '3' })],
    ] as const) {
      writeFileSync(join(recorded, 'own.ts'), code);
      const bounded = createMomentAnswers({ heapMb: 64, isHeavy: false });
      expect(await bounded.get({ dataFolder: own, name: keys[3] ?? '' })).toEqual({
        kind: 'problem',
        reason,
      });
    }
  });

  test('is replayed beside two others at most, one after another', async () => {
    const asked = keys.slice(4, 8).map(async (key) => there.api(`/orders/${key}/moment`));
    const refused = await Promise.race(asked);
    expect(codeOf(refused)).toEqual([503, 'busy']);
    expect(refused.json.error.messageFacts.code).toBe('apart-busy');
    expect(refused.headers['retry-after']).toBe('5');
    expect(replaysOf(recorded).length).toBeLessThanOrEqual(1);
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 503]);
  });
});

/** Processes that replay the run of a folder. */
const replaysOf = (dataFolder: string) => processesWith('backtest/replay-session', dataFolder);

/** Processes of a program that answer a question about a folder. */
const processesWith = (program: string, dataFolder: string) =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!command.includes(program) || !command.includes(`"dataFolder":"${dataFolder}"`)) return [];
      const [, nice] =
        /^\d+ \(.*\) (?:\S+ ){16}(-?\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return [{ nice: Number(nice), environment: readFileSync(`/proc/${pid}/environ`, 'utf8') }];
    } catch {
      return [];
    }
  });
