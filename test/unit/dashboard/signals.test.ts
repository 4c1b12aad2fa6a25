import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import { hashOfSecret } from '../../../src/dashboard/access-store.ts';
import type { ApiError } from '../../../src/dashboard/api-error.ts';
import { BotFolderReader } from '../../../src/dashboard/folder/bot-folder-reader.ts';
import { SignalEndpoint, signalSignature } from '../../../src/dashboard/signals/signal-endpoint.ts';
import type { ControlCommand, SignalCommand } from '../../../src/engine/engine-event.ts';
import { DashboardHere } from '../../support/dashboard-here.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const PATH = '/api/v1/signals/follow/alert';

const folder = folderOfAllTests();
let here: DashboardHere;
let token = '';
/** Number of tokens made so far; each test has a token, since a token may send only so many in a minute. */
let others = 0;
const endings: (() => void)[] = [];
const taken: SignalCommand[] = [];

/** Answers of the bot, by the payload it receives. */
const ANSWERS: Readonly<Record<string, readonly ['told' | 'dropped' | 'refused', string]>> = {
  'while paused': ['dropped', 'paused'],
  'of another shape': ['refused', 'invalid'],
  'of nobody': ['refused', 'unknown'],
  'too many': ['refused', 'too-many'],
};

beforeAll(async () => {
  const lock = claimDataFolder(folder);
  const inbox = new ControlInbox(folder);
  const answer = (id: number, command: ControlCommand): void => {
    if (command.kind !== 'signal') return;
    taken.push(command);
    if (command.payload === 'silence') return;
    const [outcome, code] = ANSWERS[String(command.payload)] ?? ['told', 'told'];
    inbox.done(id, {
      ok: outcome === 'told',
      message: `it was ${code}`,
      left: [],
      signal: { outcome, code },
    });
  };
  const end = inbox.listen(
    ({ id, command }) => answer(id, command),
    (error) => {
      throw error;
    },
  );
  endings.push(
    end,
    () => inbox.close(),
    () => lock[Symbol.dispose](),
  );
  here = await new DashboardHere(folder).listen();
});
afterAll(async () => {
  await here.close();
  for (const ending of endings) ending();
});
beforeEach(() => {
  taken.length = 0;
  others += 1;
  token = here.store.addSignalToken({ name: `chart-${others}`, strategy: 'follow' });
});

const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends a signal, again while a busy machine has not answered: a repeated one is delivered only once. */
async function send(
  body: unknown,
  of: { readonly headers?: object; readonly path?: string } = {},
): ReturnType<typeof sendOnce> {
  for (;;) {
    const answer = await sendOnce(body, of);
    if (answer.json.outcome !== 'waiting') return answer;
  }
}

async function sendOnce(
  body: unknown,
  { headers = here.bearer(token), path = PATH }: { readonly headers?: object; readonly path?: string } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = { ...JSON_TYPE, ...headers } as Readonly<Record<string, string>>;
  const answer = await here.ask(path, { method: 'POST', headers: sent, body: text });
  return { status: answer.status, headers: answer.headers, json: JSON.parse(answer.text) as Reply };
}

interface Reply {
  readonly id?: string;
  readonly outcome?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly field?: string };
}

/** Makes the endpoint without a server, for tests that would take long. */
const adapterHere = (
  more: { readonly answeredWithinMs?: number; readonly nowMs?: () => number } = {},
): SignalEndpoint =>
  new SignalEndpoint({
    folder: new BotFolderReader({ dataFolder: folder }),
    tokens: here.store.signalTokens,
    nowMs: () => Date.now(),
    ...more,
  });

const asked = (rawBody: string): Parameters<SignalEndpoint['accept']>[0] => ({
  strategy: 'follow',
  name: 'alert',
  path: PATH,
  headers: here.bearer(token),
  address: '127.0.0.1',
  rawBody,
});

const codeOf = ({ json, status }: Awaited<ReturnType<typeof send>>) => [status, json.error?.code];

/** Makes the headers of a signed request. */
function signed(
  body: string,
  of: {
    readonly atMs?: number;
    readonly path?: string;
    readonly secret?: string;
    readonly name?: string;
  } = {},
) {
  const { atMs = Date.now(), path = PATH, secret = token, name = `chart-${others}` } = of;
  const timestamp = String(atMs);
  const signature = signalSignature(hashOfSecret(secret), { timestamp, path, body });
  return { 'x-sarraf-token': name, 'x-sarraf-timestamp': timestamp, 'x-sarraf-signature': signature };
}

describe('a signal over HTTP', () => {
  test('is posted with who sent it, and its sender learns what became of it', async () => {
    const sentAt = '2026-01-05T12:00:00+03:30';
    expect(await send({ payload: { side: 'buy' }, id: 'a', sentAt })).toMatchObject({
      status: 202,
      json: { id: 'a', outcome: 'told', code: 'told', message: 'it was told' },
    });
    expect(taken).toEqual([
      {
        kind: 'signal',
        strategy: 'follow',
        name: 'alert',
        id: 'a',
        payload: { side: 'buy' },
        sentAtMs: Date.parse(sentAt),
        source: `chart-${others}`,
      },
    ]);
  });

  test('is told once for its id, and another of the same id is refused', async () => {
    const body = { payload: 1, id: 'once' };
    const answers = [await send(body), await send(body), await send({ ...body, payload: 2 })];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 409]);
    expect(answers[2]?.json.error).toMatchObject({ code: 'key-taken', field: 'id' });
    expect(taken).toHaveLength(1);
  });

  test.each([
    ['while paused', 409, 'signal-dropped'],
    ['of another shape', 422, 'signal-refused'],
    ['of nobody', 404, 'not-found'],
    ['too many', 429, 'too-many-signals'],
  ])('that comes %s is answered with %i and the reason', async (payload, status, code) => {
    const answer = await send({ payload, id: `r${others}` });
    expect(codeOf(answer)).toEqual([status, code]);
    expect(answer.json.error?.message).toContain('it was ');
  });

  test('without an answer in time waits, and the same again asks for it', async () => {
    const adapter = adapterHere({ answeredWithinMs: 1 });
    const rawBody = JSON.stringify({ payload: 'silence', id: 'quiet' });
    expect(await adapter.accept(asked(rawBody))).toMatchObject({ id: 'quiet', outcome: 'waiting' });
    expect(await adapter.accept(asked(rawBody))).toMatchObject({ id: 'quiet', outcome: 'waiting' });
    await expect.poll(() => taken.length, { timeout: 60_000 }).toBe(1);
  });

  test('without a name in the address has it in the body', async () => {
    const path = '/api/v1/signals/follow';
    expect((await send({ payload: 1, name: 'stop' }, { path })).status).toBe(202);
    expect(taken[0]).toMatchObject({ name: 'stop' });
    expect((await send({ payload: 1 }, { path })).json.error).toMatchObject({ field: 'name' });
    expect((await send({ payload: 1, name: 'stop' })).json.error).toMatchObject({ field: 'name' });
  });

  test('without an id is the same within a minute', async () => {
    const body = { payload: { side: 'sell', others } };
    const [first, second] = [await send(body), await send(body)];
    expect(first.json.id).toMatch(/^made-[0-9a-f]{27}$/);
    // The two ids differ if a minute ends between the requests.
    if (first.json.id === second.json.id) expect(taken).toHaveLength(1);
    expect((await send({ payload: { side: 'buy', others } })).json.id).not.toBe(first.json.id);
  });

  test.each([
    ['no JSON', '{payload}', 400, 'invalid-request'],
    ['a list', '[]', 400, 'invalid-request'],
    ['no payload', { id: 'x' }, 400, 'invalid-request'],
    ['a strange field', { payload: 1, side: 'buy' }, 400, 'invalid-request'],
    ['an odd id', { payload: 1, id: 'a b' }, 400, 'invalid-request'],
    ['an odd time', { payload: 1, sentAt: 'today' }, 400, 'invalid-request'],
    ['many levels', `{"payload":${'['.repeat(9)}${']'.repeat(9)}}`, 400, 'invalid-request'],
    ['a long payload', { payload: 'x'.repeat(9_000) }, 413, 'too-large'],
    ['a long body', { payload: 'x'.repeat(17_000) }, 413, 'too-large'],
  ])('of %s is refused, and nothing is posted', async (_, body, status, code) => {
    expect(codeOf(await send(body))).toEqual([status, code]);
    expect(taken).toEqual([]);
  });
});

describe('who may send signals', () => {
  test('whoever has the token of the strategy, in the header or in the body', async () => {
    expect((await send({ payload: 1, id: 'header' })).status).toBe(202);
    expect((await send({ payload: 1, id: 'body', token }, { headers: {} })).status).toBe(202);
    expect(taken.map(({ payload }) => payload)).toEqual([1, 1]);
    expect(JSON.stringify(taken)).not.toContain(token);
  });

  test('nobody else: no token, a wrong one, that of another strategy, one of the page', async () => {
    expect(codeOf(await send({ payload: 1 }, { headers: {} }))).toEqual([401, 'no-token']);
    expect(codeOf(await send({ payload: 1 }, { headers: here.bearer('wrong') }))).toEqual([
      401,
      'wrong-token',
    ]);
    expect(codeOf(await send({ payload: 1 }, { headers: here.bearer() }))).toEqual([401, 'wrong-token']);
    const path = '/api/v1/signals/other/alert';
    expect(codeOf(await send({ payload: 1 }, { path }))).toEqual([403, 'not-allowed']);
    here.store.removeToken(`chart-${others}`);
    expect(codeOf(await send({ payload: 1 }))).toEqual([401, 'wrong-token']);
    expect(taken).toEqual([]);
  });

  test('a token of signals opens nothing of the page', async () => {
    const headers = here.bearer(token);
    expect((await here.api('/overview', undefined, headers)).status).toBe(401);
    expect((await here.api('/actions/halt', { key: 'no' }, headers)).status).toBe(401);
    expect((await here.api('/session', { token }, {})).status).toBe(401);
  });

  test('wrong tokens wait ever longer, and hold up no right one', async () => {
    const adapter = adapterHere({ nowMs: () => 1_000 });
    const wrong = { ...asked('{"payload":1,"id":"right"}'), headers: here.bearer('wrong') };
    const tries: unknown[] = [];
    for (let count = 0; count < 8; count += 1)
      tries.push(await adapter.accept(wrong).catch((error: unknown) => (error as ApiError).code));
    expect(tries.slice(-3)).toEqual(['wrong-token', 'too-many-tries', 'too-many-tries']);
    expect((await adapter.accept({ ...wrong, headers: here.bearer(token) })).id).toBe('right');
  });

  test('one token so often in a minute', async () => {
    const adapter = adapterHere();
    const errors = new Set<unknown>();
    const tried = async (): Promise<unknown> => adapter.accept(asked('{')).catch((error: unknown) => error);
    for (let count = 0; count < 60; count += 1) errors.add(((await tried()) as ApiError).code);
    expect([...errors]).toEqual(['invalid-request']);
    const { code, status, retryAfterMs = 0 } = (await tried()) as ApiError;
    expect([code, status]).toEqual(['too-many-signals', 429]);
    expect(retryAfterMs).toBeGreaterThan(0);
  });

  test('whoever signs time, address and body with the key of the token, which is in no request', async () => {
    const body = JSON.stringify({ payload: { side: 'buy' } });
    const headers = signed(body);
    const first = await send(body, { headers });
    expect(first).toMatchObject({ status: 202, json: { outcome: 'told' } });
    expect(taken[0]).toMatchObject({ sentAtMs: Number(headers['x-sarraf-timestamp']) });
    // Repeating a request repeats its signal, which is not delivered again.
    expect((await send(body, { headers })).json.id).toBe(first.json.id);
    expect(taken).toHaveLength(1);
    const seconds = signed(body, { atMs: Math.floor(Date.now() / 1_000) });
    expect((await send(body, { headers: seconds })).status).toBe(202);
  });

  test.each<readonly [string, (body: string) => object]>([
    ['of an older time', (body) => signed(body, { atMs: Date.now() - 301_000 })],
    ['of a later time', (body) => signed(body, { atMs: Date.now() + 301_000 })],
    ['of another body', (body) => signed(`${body} `)],
    ['of another address', (body) => signed(body, { path: '/api/v1/signals/follow/stop' })],
    ['of another key', (body) => signed(body, { secret: 'other' })],
    ['of another name', (body) => signed(body, { name: 'nobody' })],
    [
      'that is cut',
      (body) => ({ ...signed(body), 'x-sarraf-signature': signed(body)['x-sarraf-signature'].slice(1) }),
    ],
    ['without a time', (body) => ({ ...signed(body), 'x-sarraf-timestamp': '' })],
    ['with a right token beside it', (body) => ({ ...signed(`${body} `), ...here.bearer(token) })],
  ])('a signature %s is refused', async (_, headers) => {
    const body = JSON.stringify({ payload: 1 });
    const { status, json } = await send(body, { headers: headers(body) });
    expect(status === 401 || status === 429, JSON.stringify(json)).toBe(true);
    expect(taken).toEqual([]);
  });

  test('its token is kept as a hash alone', () => {
    const files = ['access.sqlite', 'access.sqlite-wal', 'control.sqlite', 'control.sqlite-wal'];
    const kept = files.map((name) => readFileSync(join(folder, name), 'latin1')).join('');
    expect(kept).toContain(`chart-${others}`);
    expect(kept).not.toContain(token);
  });
});
