import { INTERFACE_PROFILE } from '../../../../src/venues/interface-profile.ts';
import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { type HealthSource, LedgerWatch, startingSource } from '../../../../src/daemon/health-source.ts';
import { HealthServer } from '../../../../src/daemon/health/health-server.ts';
import { wellSource } from './well-source.ts';
import { isAllowedHost, oneHost } from '../../../../src/daemon/allowed-host.ts';
import { scenarios } from '../../../support/scenarios.ts';

const servers: HealthServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(but: Partial<HealthSource> = {}, host = '127.0.0.1'): Promise<string> {
  const server = new HealthServer({
    source: () => wellSource(but),
    host,
    port: 0,
    hosts: ['bot.example.com'],
  });
  servers.push(server);
  return server.listen();
}

async function look(base: string, path: string) {
  const reply = await fetch(base + path);
  return {
    status: reply.status,
    body: (await reply.json()) as { ok: boolean; reasons: string[]; locks: string[] },
  };
}

async function requestSeries(base: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  return text.match(/^sarraf_requests_total\{/gm)?.length ?? 0;
}

/** Returns the status of a request with the given headers, such as `Host`. */
async function statusFor(base: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${base}/healthz`, { headers }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

describe('/healthz', () => {
  test('is fine while the loop turns and the mirror can be written to', async () => {
    expect(await look(await serve(), '/healthz')).toEqual({
      status: 200,
      body: { ok: true, reasons: [], locks: [] },
    });
  });

  test.each<[string, Partial<HealthSource>, RegExp]>([
    ['the loop has not turned for 10 s', { heartbeatAgeMs: () => 10_000 }, /last ran 10 s ago/],
    ['nothing is known of the loop', { heartbeatAgeMs: () => Number.NaN }, /the loop last ran/],
    ['the mirror can not be written to', { mirrorFault: () => 'disk full' }, /written to: disk full/],
  ])('is not when %s, and says so', async (_, but, reason) => {
    const { status, body } = await look(await serve(but), '/healthz');
    expect(status).toBe(503);
    expect(body).toEqual({ ok: false, reasons: [expect.stringMatching(reason)], locks: [] });
  });

  test('does not ask for a restart because of a lockout, a break, a halt or old data, which none would mend', async () => {
    const base = await serve({
      lockouts: () => [{ budget: 'ip', forMs: null }],
      breaks: () => ['BTC'],
      haltReason: () => 'lunch',
      phase: () => 'halted',
      dataAges: () => [{ feed: 'books', ageMs: null, longestAgeMs: 1 }],
    });
    expect((await look(base, '/healthz')).status).toBe(200);
  });
});

describe('/readyz', () => {
  test('is fine when trading can go on', async () => {
    expect(await look(await serve(), '/readyz')).toEqual({
      status: 200,
      body: { ok: true, reasons: [], locks: [] },
    });
  });

  scenarios<Partial<HealthSource>>(async (reason, but) => {
    const { status, body } = await look(await serve(but), '/readyz');
    expect(status).toBe(503);
    expect(body).toEqual({ ok: false, reasons: [expect.stringMatching(reason)], locks: [] });
  }, 'is not when %s, and says so')`
    the loop stands still ${{ heartbeatAgeMs: () => 60_000 }}: last ran 60 s ago
    the exchange has not answered yet
      ${startingSource({ waitsFor: () => 'no answer from the exchange yet', ledger: new LedgerWatch({ ledgerFile: null, ledgerSubjects: [], profile: INTERFACE_PROFILE }) })}
      ^no answer from the exchange yet$
    it begins ${{ phase: () => 'syncing' }}: still reading the state
    the disk is full ${{ isDiskFull: () => true }}: disk is full
    it ends ${{ phase: () => 'draining' }}: is ending
    it is halted ${{ haltReason: () => 'lunch', phase: () => 'halted' }}: ^trading is halted: lunch$
    its credential is refused ${{ credentialFault: () => 'the exchange has refused it' }}
      ^the exchange has refused it$
    the books could not be compared for long
      ${{ doubts: () => ['the books could not be compared for 12 minutes: bot-a-e001-7 is closed'] }}
      could not be compared for 12 minutes: bot-a-e001-7
    no order could leave ${{ placingFault: () => 'no slot' }}: ^no slot$
    there is a break ${{ breaks: () => ['BTC: 1 here, 2 there'] }}: do not agree .*BTC: 1 here, 2 there
    a budget is locked out ${{ lockouts: () => [{ budget: 'wallets', forMs: 90_500 }] }}: wallets .* for 91 s
    the end of a lockout is not known ${{ lockouts: () => [{ budget: 'ip', forMs: null }] }}
      ^ip is locked out$
    data is old ${{ dataAges: () => [{ feed: 'books', ageMs: 5_001, longestAgeMs: 5_000 }] }}
      books is 6 s old; the limit is 5 s
    data was never read ${{ dataAges: () => [{ feed: 'stats', ageMs: null, longestAgeMs: 5_000 }] }}
      stats was never read
  `;

  test('is fine while locks hold, which are wanted, and names a bounded number of them', async () => {
    const said = 'the lock hand of BTCIRT holds until 18:00: news';
    const locks = Array.from({ length: 30 }, () => ({ kind: 'hand', text: said }) as const);
    const base = await serve({ locks: () => locks });
    for (const path of ['/healthz', '/readyz']) {
      const { status, body } = await look(base, path);
      expect([status, body.ok, body.locks.length]).toEqual([200, true, 11]);
      expect([body.locks[0], body.locks.at(-1)]).toEqual([said, 'and 20 more like it']);
    }
  });

  test('names a bounded number of feeds', async () => {
    const ages = Array.from({ length: 500 }, (_, index) => ({
      feed: `book ${index}`,
      ageMs: null,
      longestAgeMs: 1,
    }));
    const { body } = await look(await serve({ dataAges: () => ages }), '/readyz');
    expect(body.reasons).toHaveLength(11);
    expect(body.reasons.at(-1)).toBe('and 490 more like it');
  });
});

describe('/metrics', () => {
  test('is put together once before anybody looks, whatever fails there', async () => {
    let asked = 0;
    const equity = (): never => {
      asked += 1;
      throw new Error('the mirror is gone');
    };
    const server = new HealthServer({ source: () => wellSource({ equity }), port: 0 });
    servers.push(server);
    await server.listen();
    await server.warmUp();
    expect(asked).toBeGreaterThan(0);
  });

  test('is not waited for before the server listens, or once it is closed', async () => {
    const server = new HealthServer({ source: () => wellSource(), port: 0 });
    await expect(server.warmUp()).resolves.toBeUndefined();
    await server.listen();
    await server.close();
    await expect(server.warmUp()).resolves.toBeUndefined();
  });

  test('shows the numbers of the bot, the same with every look', async () => {
    const base = await serve({ haltReason: () => 'lunch', breaks: () => ['a', 'b'] });
    await fetch(`${base}/metrics`);
    const reply = await fetch(`${base}/metrics`);
    expect(reply.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const lines = (await reply.text()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '# TYPE sarraf_requests_total counter',
        'sarraf_requests_total{endpoint="orders/add",outcome="ok"} 30',
        'sarraf_requests_total{endpoint="orders/add",outcome="TIMED_OUT"} 2',
        'sarraf_budget_slots_in_use{budget="orders/add",subject="abc"} 12',
        'sarraf_budget_slots{budget="orders/add",subject="abc"} 300',
        'sarraf_budget_lowered_limit{budget="orders/add",subject="abc"} 305',
        'sarraf_orders{state="open"} 3',
        'sarraf_fills_total{strategy="maker"} 8',
        'sarraf_notices_total{level="error"} 1',
        'sarraf_data_age_seconds{feed="book BTCIRT"} 0.9',
        'sarraf_requests_per_fill{strategy="maker"} 2.5',
        'sarraf_heartbeat_age_seconds 0.04',
        'sarraf_halted 1',
        'sarraf_doubts 0',
        'sarraf_breaks 2',
        'sarraf_lockouts 0',
        'sarraf_ready 0',
        'sarraf_credential_refused 0',
        'sarraf_mirror_writable 1',
        'sarraf_mirror_bytes 8192',
        'sarraf_orders_total{strategy="maker"} 9',
        'sarraf_refusals_total{strategy="maker",what="order",code="risk data-age"} 4',
        'sarraf_profit{strategy="maker",currency="rls"} 120',
        'sarraf_profit_realised{strategy="maker",currency="rls"} 150',
        'sarraf_profit_open{strategy="maker",currency="rls"} -30',
        'sarraf_position{strategy="maker",asset="btc"} -0.5',
        'sarraf_equity{currency="rls"} 1000',
        'sarraf_drawdown_ratio{currency="rls"} 0.02',
      ]),
    );
    expect(lines.filter((line) => line.startsWith('sarraf_profit{'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('process_heap_bytes '))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('sarraf_requests_per_fill{'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('sarraf_loop_lag_seconds{'))).toHaveLength(3);
  });

  test('shows how long orders took as a histogram, whose buckets hold the shorter ones too', async () => {
    const text = await (await fetch(`${await serve()}/metrics`)).text();
    const shown = text.split('\n').filter((line) => line.includes('sarraf_order_latency_seconds'));
    expect(shown.slice(1)).toEqual([
      '# TYPE sarraf_order_latency_seconds histogram',
      ...['0.025', '0.05'].map((le) => `sarraf_order_latency_seconds_bucket{le="${le}"} 0`),
      ...['0.1', '0.25'].map((le) => `sarraf_order_latency_seconds_bucket{le="${le}"} 2`),
      ...['0.5', '1', '2.5', '5', '10', '30', '60'].map(
        (le) => `sarraf_order_latency_seconds_bucket{le="${le}"} 3`,
      ),
      'sarraf_order_latency_seconds_bucket{le="+Inf"} 4',
      'sarraf_order_latency_seconds_sum 90.57',
      'sarraf_order_latency_seconds_count 4',
    ]);
  });

  test('counts locks by their kinds, of which there are seven', async () => {
    const kinds = ['stops', 'hand', 'stops'] as const;
    const base = await serve({ locks: () => kinds.map((kind) => ({ kind, text: 'wild words' })) });
    const text = await (await fetch(`${base}/metrics`)).text();
    expect(text.match(/^sarraf_locks\{.*$/gm)?.toSorted()).toEqual([
      'sarraf_locks{kind="cooldown"} 0',
      'sarraf_locks{kind="dates"} 0',
      'sarraf_locks{kind="drawdown"} 0',
      'sarraf_locks{kind="hand"} 1',
      'sarraf_locks{kind="hours"} 0',
      'sarraf_locks{kind="low-profit"} 0',
      'sarraf_locks{kind="stops"} 2',
    ]);
  });

  test('keeps two servers apart, and bounds a metric whose labels run wild', async () => {
    const counts = Array.from({ length: 3_000 }, (_, index) => ({
      endpoint: `e${index}`,
      outcome: 'ok',
      count: 1,
    }));
    const [wild, tame] = [await serve({ requests: () => counts }), await serve()];
    expect([await requestSeries(wild), await requestSeries(tame)]).toEqual([1_000, 2]);
  });
});

describe('the server', () => {
  test('listens on this machine only, unless configured otherwise', async () => {
    const server = new HealthServer({ source: () => wellSource(), port: 0 });
    servers.push(server);
    expect(await server.listen()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test.each([
    ['127.0.0.1', 'localhost:9464', 200],
    ['127.0.0.1', '127.0.0.1', 200],
    ['127.0.0.1', '[::1]:80', 200],
    ['127.0.0.1', 'bot.example.com:9464', 200],
    ['0.0.0.0', 'bot.example.com', 200],
    ['127.0.0.1', 'evil.example', 421],
    ['127.0.0.1', '10.0.0.7:9464', 421],
    ['127.0.0.1', 'bot:9464', 421],
    ['0.0.0.0', 'bot:9464', 200],
    ['0.0.0.0', '10.0.0.7:9464', 200],
    ['0.0.0.0', 'evil.example', 421],
    ['0.0.0.0', 'a@b', 421],
  ])('at %s answers a request for %s with %i', async (host, name, status) => {
    const base = await serve({}, host);
    expect(await statusFor(base.replace('0.0.0.0', '127.0.0.1'), { host: name })).toBe(status);
  });

  test('takes no body, no long headers, no other method and no other address', async () => {
    const base = await serve();
    expect((await fetch(`${base}/healthz`, { method: 'POST', body: 'x'.repeat(100) })).status).toBe(413);
    expect((await fetch(`${base}/healthz`, { method: 'DELETE' })).status).toBe(404);
    expect((await fetch(`${base}/`)).status).toBe(404);
    expect(await statusFor(base, { long: 'x'.repeat(20_000) })).toBe(431);
  });

  test('says that its port is taken', async () => {
    const port = Number(new URL(await serve()).port);
    const second = new HealthServer({ source: () => wellSource(), port });
    await expect(second.listen()).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('Set another port, or none'),
    });
  });
});

test('a request has one host, whatever its headers hold beside it', () => {
  expect(oneHost(['Accept', 'host', 'Host', 'localhost:7080'])).toBe('localhost:7080');
  expect(oneHost(['accept', '*/*'])).toBeNull();
});

test('a request with two hosts is for nobody', () => {
  const host = oneHost(['Host', 'localhost:7080', 'HOST', 'evil.example']);
  expect(host).toBeNull();
  expect(isAllowedHost(host, '127.0.0.1', [])).toBe(false);
});
