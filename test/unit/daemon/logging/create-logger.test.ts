import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, it } from 'vitest';
import { about, createLogger, LogFile } from '../../../../src/daemon/run/create-logger.ts';
import { Secret } from '../../../../src/configuration/secret-file.ts';
import { SarrafError } from '../../../../src/domain/errors.ts';
import { captureLog } from './capture-log.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';
import { StandardOutput } from '../../../../src/daemon/standard-output.ts';
import { logNotice } from '../../../../src/daemon/run/screen.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { EMPTY_FILL, type FillRecord } from '../../../../src/records/fill.ts';
import { plannedOrder } from '../../../support/order-value.ts';
import { orderIdOf, tradeIdOf } from '../../../../src/venues/read-records.ts';

const ORDER = plannedOrder({
  key: 'bot-ma-cross-ab12-1',
  intentId: 'i-1',
  strategy: 'ma-cross',
  market: 'BTCIRT',
  price: parseUnits('60000000000'),
  amount: parseUnits('0.0000000001'),
  state: 'open',
  venueId: orderIdOf(5),
  venueStatus: 'Active',
});

const FILL: FillRecord = {
  ...EMPTY_FILL,
  tradeId: tradeIdOf(9),
  cursor: 9,
  venueOrderId: orderIdOf(5),
  orderKey: ORDER.key,
  strategy: 'ma-cross',
  market: 'BTCIRT',
  side: 'sell',
  atMs: 1_000,
  price: parseUnits('60000000000'),
  amount: parseUnits('0.5'),
  total: parseUnits('30000000000'),
  fee: parseUnits('75000000'),
};

test('an order is logged with its intent and its decimals as texts', () => {
  const { logger, records } = captureLog();
  logNotice(logger, { kind: 'order', order: ORDER });
  expect(records()[0]).toMatchObject({
    level: 'info',
    event: 'order',
    order: 'bot-ma-cross-ab12-1',
    intent: 'i-1',
    strategy: 'ma-cross',
    amount: '0.0000000001',
    price: '60000000000',
    stopPrice: null,
    msg: 'BTCIRT buy 0.0000000001 at 60000000000 is open',
  });
});

test.each([
  ['planned', 'debug'],
  ['unknown', 'warn'],
  ['filled', 'info'],
  ['rejected', 'warn'],
] as const)('an order that is %s is logged at the level %s', (state, level) => {
  const { logger, records } = captureLog();
  logNotice(logger, { kind: 'order', order: { ...ORDER, state, price: null, reason: 'WHY' } });
  expect(records()[0]).toMatchObject({ level, msg: `BTCIRT buy 0.0000000001 is ${state} (WHY)` });
});

test('a fill is logged, and one that is not ours is marked so', () => {
  const { logger, records } = captureLog();
  logNotice(logger, { kind: 'fill', fill: FILL });
  logNotice(logger, { kind: 'fill', fill: { ...FILL, orderKey: null, strategy: null } });
  expect(records()).toMatchObject([
    { event: 'fill', order: ORDER.key, trade: '9', fee: '75000000', msg: 'BTCIRT sold 0.5 at 60000000000' },
    { order: null, msg: 'BTCIRT sold 0.5 at 60000000000, not ours' },
  ]);
});

test.each([
  ['info', 'info'],
  ['warning', 'warn'],
  ['error', 'error'],
] as const)('a notice of the level %s is a line of the level %s', (level, expected) => {
  const { logger, records } = captureLog();
  logNotice(logger, { kind: 'notice', level, message: 'so it is', subject: 'wallets' });
  logNotice(logger, { kind: 'notice', level, message: 'so it is', subject: null });
  expect(records()[0]).toMatchObject({ level: expected, subject: 'wallets', msg: 'so it is' });
  expect(records()[1]).not.toHaveProperty('subject');
});

const HIDDEN = 'hidden "value" 4711';

const folder = folderOfEachTest();

describe('a line', () => {
  test('is JSON with its level, its time and what it is about', () => {
    const { logger, records } = captureLog({ base: { instance: 'bot' } });
    about(about(logger, { strategy: 'ma-cross' }), { intent: 'i-1', order: 'o-1', request: 7 }).info(
      { market: 'BTCIRT' },
      'placed',
    );
    logger.trace('below the level');
    expect(records()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        instance: 'bot',
        strategy: 'ma-cross',
        intent: 'i-1',
        order: 'o-1',
        request: 7,
        market: 'BTCIRT',
        msg: 'placed',
      },
    ]);
  });

  test('has large whole numbers as texts', () => {
    const { logger, records } = captureLog();
    logger.info({ units: 123_456_789_012_345_678_901n, deep: { more: [5n] } }, 'a');
    expect(records()[0]).toMatchObject({ units: '123456789012345678901', deep: { more: ['5'] } });
  });

  test('for people has the same in words', () => {
    const { logger, lines } = captureLog({ pretty: true });
    logger.info({ order: 'o-1' }, 'placed');
    logger.error(new Error('broken'), 'failed');
    expect(lines[0]).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: placed \{"order":"o-1"\}\n$/);
    expect(lines[1]).toContain('broken');
  });

  test('for people obeys nothing that a strategy or the exchange wrote, and shows the rest as it is', () => {
    const { logger, lines } = captureLog({ pretty: true });
    logger.info(
      { place: String.raw`C:\b\u001b` },
      'a\u001B[2J\u0007\r\b\u009B31m\u202Eb\u2067 سفارش 🔴\n\tnext "x"',
    );
    expect(lines[0]).toContain('a?[2J????31m?b? سفارش 🔴\n');
    expect(lines[0]).toContain(String.raw`C:\b\u001b`);
    expect(lines[0]).not.toMatch(/[^\P{Cc}\t\n]|[\u202A-\u202E\u2066-\u2069]/u);
  });
});

describe('a secret', () => {
  test.each([
    ['Authorization'],
    ['authorization'],
    ['X-TOTP'],
    ['Service-Key'],
    ['Service-Signature'],
    ['token'],
    ['password'],
    ['privateKey'],
    ['api_key'],
    ['apiSecret'],
    ['totpSecret'],
    ['credentials'],
  ])('is not shown under the name %s, wherever that is', (name) => {
    const { logger, lines } = captureLog();
    logger.info(
      { [name]: HIDDEN, request: { headers: { [name]: HIDDEN }, all: [{ [name]: [HIDDEN] }] } },
      'a',
    );
    logger.child({ [name]: HIDDEN }).info('b');
    logger.info(new SarrafError('REFUSED', 'no', { details: { [name]: HIDDEN } }), 'c');
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toContain('hidden');
    expect(lines.join('')).toContain('[secret]');
  });

  test.each(['order', 'intent', 'market', 'publicKeyId', 'tokens', 'keyed', 'orderKey', 'reason'])(
    'is no %s',
    (name) => {
      const { logger, records } = captureLog();
      logger.info({ [name]: 'shown' }, 'a');
      expect(records()[0]).toMatchObject({ [name]: 'shown' });
    },
  );

  test('that is known is taken out of texts, errors and their causes', () => {
    const { logger, lines } = captureLog({ secrets: [new Secret(HIDDEN)] });
    logger.info(`the text ${HIDDEN}`);
    logger.info({ url: `https://a?t=${encodeURIComponent(HIDDEN)}` }, 'a');
    logger.error(new Error('outer', { cause: new Error(HIDDEN) }), 'failed');
    logger.error({ err: new Error(HIDDEN) });
    logger.info({ wrapped: new Secret(HIDDEN) }, 'b');
    expect(lines).toHaveLength(5);
    expect(lines.join('')).not.toContain('hidden');
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });
});

test('an object too deep is cut, one that contains itself is cut too', () => {
  const { logger, records } = captureLog();
  const ring: Record<string, unknown> = {};
  ring['self'] = ring;
  logger.info({ ring }, 'a');
  expect(JSON.stringify(records()[0])).toContain('[too deep]');
});

describe('a file', () => {
  test('gets JSON beside what is shown', () => {
    const path = join(folder, 'logs', 'bot.log');
    const { logger, lines } = captureLog({ file: path, pretty: true });
    logger.info({ order: 'o-1' }, 'placed');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      level: 'info',
      order: 'o-1',
      msg: 'placed',
    });
  });

  test('is renamed at its largest size, and at most two are kept', () => {
    const path = join(folder, 'bot.log');
    const file = new LogFile(path, 10);
    for (const line of ['aaaaaa\n', 'bb\n', 'cccccc\n', 'dddddd\n']) file.write(line);
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('dddddd\n');
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('cccccc\n');
    const again = new LogFile(path, 10);
    again.write('e\n');
    expect(readFileSync(path, 'utf8')).toBe('dddddd\ne\n');
    again.close();
    again.write('lost\n');
    expect(again.lost).toBe(1);
  });

  test('that can not be written to is refused with what to do', () => {
    writeFileSync(join(folder, 'taken'), '');
    const file = join(folder, 'taken', 'bot.log');
    expect(() => createLogger({ level: 'info', pretty: false, file })).toThrow(
      /set log.file to another path/,
    );
  });
});

/** Runs a program and returns the lines it prints; they are read late, so its pipe is full when it ends. */
async function linesOf(source: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  await new Promise((done) => setTimeout(done, 300));
  for await (const chunk of child.stdout.setEncoding('utf8')) text += String(chunk);
  return text.trimEnd().split('\n');
}

describe('the last lines', () => {
  const MANY = 2_000;
  const program = (pretty: boolean, end: string): string => `
    import { createLogger } from ${JSON.stringify(join(process.cwd(), 'src/daemon/run/create-logger.ts'))};
    const logger = createLogger({ level: 'info', pretty: ${pretty} });
    process.on('SIGTERM', () => { logger.info('asked to end'); process.exit(0); });
    for (let index = 1; index <= ${MANY}; index += 1) logger.info({ filler: 'x'.repeat(100) }, 'line ' + index);
    ${end}
  `;

  test.each([
    ['JSON, after an exit', false, 'process.exit(0);', `line ${MANY}`],
    ['lines for people, after an exit', true, 'process.exit(0);', `line ${MANY}`],
    [
      'JSON, after SIGTERM',
      false,
      "setInterval(() => {}, 1000); process.kill(process.pid, 'SIGTERM');",
      'asked to end',
    ],
    ['lines for people, after an error', true, "throw new Error('end');", `line ${MANY}`],
  ])('are not lost: %s', async (_, pretty, end, last) => {
    const quiet = end.startsWith('throw')
      ? `process.on('uncaughtException', () => process.exit(1)); ${end}`
      : end;
    const lines = await linesOf(program(pretty, quiet));
    expect(lines.at(-1)).toContain(last);
    expect(lines.filter((line) => line.includes('line '))).toHaveLength(MANY);
  });
});

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Makes an output that accepts some bytes for each write, and fails on request. */
function output(most = 1_000): {
  readonly out: StandardOutput;
  readonly seen: () => string;
  readonly ends: () => number;
  failing: string | null;
  tears: boolean;
} {
  let text = '';
  let ends = 0;
  const made = {
    out: new StandardOutput(
      () => (ends += 1),
      (bytes) => {
        if (made.failing !== null) throw failure(made.failing);
        const taken = bytes.subarray(0, most);
        text += Buffer.from(taken).toString();
        if (most < bytes.length && made.tears) made.failing = 'ENOSPC';
        return taken.length;
      },
    ),
    seen: () => text,
    ends: () => ends,
    failing: null as string | null,
    tears: false,
  };
  return made;
}

describe('the standard output', () => {
  it('writes whole lines, however little is taken at once', () => {
    const { out, seen } = output(3);
    out.write('{"one":1}\n');
    out.write('{"two":2}\n');
    expect(seen()).toBe('{"one":1}\n{"two":2}\n');
  });

  it.each(['EPIPE', 'EIO', 'ENXIO', 'EBADF'])(
    'reports once that its reader is gone (%s), and writes no more',
    (code) => {
      const made = output();
      made.failing = code;
      made.out.write('one\n');
      made.failing = null;
      made.out.write('two\n');
      expect([made.ends(), made.seen(), made.out.lost]).toEqual([1, '', 1]);
    },
  );

  it('leaves out what a full disk does not take, and goes on after it', () => {
    const made = output();
    made.failing = 'ENOSPC';
    made.out.write('one\n');
    made.failing = null;
    made.out.write('two\n');
    expect([made.ends(), made.seen(), made.out.lost]).toEqual([0, 'two\n', 1]);
  });

  it('begins a new line after one that was written in part', () => {
    const made = output(3);
    made.tears = true;
    made.out.write('first\n');
    made.tears = false;
    made.failing = null;
    made.out.write('next\n');
    expect(made.seen()).toBe('fir\nnext\n');
  });
});
