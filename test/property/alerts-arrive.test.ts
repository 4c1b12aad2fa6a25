import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepRuns } from '../support/deep-runs.ts';
import { AlertWorld, type ServiceAnswer } from './alert-world.ts';

type Deed =
  | { readonly kind: 'fill' | 'strategy fails' | 'halt' | 'resume' | 'break' | 'books agree' | 'acknowledge' }
  | { readonly kind: 'pass'; readonly turns: number; readonly stepMs: number }
  | { readonly kind: 'crash'; readonly isAmidSending: boolean }
  | { readonly kind: 'service'; readonly channel: number; readonly answers: readonly ServiceAnswer[] };

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const plain = fc.constantFrom(
  ...(['fill', 'fill', 'strategy fails', 'halt', 'resume', 'break', 'books agree', 'acknowledge'] as const),
);
const answer = fc.constantFrom<ServiceAnswer>('takes', 'is down', 'refuses', 'takes, and the reply is lost');
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: plain.map((kind) => ({ kind })) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      turns: fc.integer({ min: 1, max: 6 }),
      stepMs: fc.constantFrom(SECOND_MS, 5 * SECOND_MS, MINUTE_MS, 20 * MINUTE_MS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), isAmidSending: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('service' as const),
      channel: fc.nat(2),
      answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
    }),
  },
);

/** Quiet hours of Tehran, in minutes of the day: from 23:00 to 7:00 of the next day. */
const QUIET = { fromMinute: 23 * 60, toMinute: 31 * 60 };

const HALT = { halt: { reason: 'news', sinceMs: 0 } };
const ROWS = [{ currency: 'usdt', expected: '1', found: '2' }];

const pass = (turns: number, stepMs: number): Deed => ({ kind: 'pass', turns, stepMs });
const AMID_SENDING: Deed = { kind: 'crash', isAmidSending: true };
const IDLE: Deed = { kind: 'crash', isAmidSending: false };
const FILL: Deed = { kind: 'fill' };
const FAILS: Deed = { kind: 'strategy fails' };
type Pacing = {
  groupMs: 0 | 10_000 | 300_000;
  mostPerHour: 1 | 4 | 30;
  quietHours: typeof QUIET | null;
};
const EVEN: Pacing = { groupMs: 0, mostPerHour: 1, quietHours: QUIET };

/** Cases that random draws seldom reach, or that once found a fault. */
const EXAMPLES: readonly [Deed[], Pacing, number][] = [
  // A message was refused in the evening and tried again at night.
  [
    [
      { kind: 'service', channel: 0, answers: ['refuses', 'is down', 'is down', 'is down'] },
      FILL,
      pass(1, SECOND_MS),
    ],
    EVEN,
    10,
  ],
  // A strategy failed again before the lines of its first failure were read.
  [[FILL, FILL, FILL, FAILS, pass(1, SECOND_MS), FAILS], EVEN, 0],
  [[FILL, IDLE, pass(2, SECOND_MS), { kind: 'break' }, AMID_SENDING, FILL, AMID_SENDING], EVEN, 0],
  [
    [
      { kind: 'break' },
      pass(3, SECOND_MS),
      { kind: 'acknowledge' },
      pass(6, 20 * MINUTE_MS),
      IDLE,
      pass(6, 20 * MINUTE_MS),
    ],
    EVEN,
    0,
  ],
  [
    [FILL, pass(1, SECOND_MS), FILL, pass(2, MINUTE_MS), FILL, pass(2, MINUTE_MS), FILL, pass(2, MINUTE_MS)],
    EVEN,
    0,
  ],
];

/** An alert that a journal line must cause, and when the line was written. */
interface Expected {
  readonly key: string;
  readonly atMs: number;
}

async function live(world: AlertWorld, deeds: readonly Deed[]): Promise<readonly Expected[]> {
  const expected: Expected[] = [];
  const say = (key: string): void => void expected.push({ key, atMs: world.nowMs });
  // Lines from before the first snapshot are no news.
  await world.pass(1, SECOND_MS);
  for (const each of deeds) {
    switch (each.kind) {
      case 'fill':
        world.write('fill', 'buy', {});
        say(`big-fill ${world.journal.length} buy`);
        break;
      case 'strategy fails':
        world.write('strategy', 'grid', { status: 'paused', reason: 'it threw' });
        say('strategy grid');
        break;
      case 'halt':
        world.write('control', 'halt', { reason: 'news' }, { halt: { ...HALT.halt, sinceMs: world.nowMs } });
        say('halted');
        break;
      case 'resume':
        world.write('control', 'resume', {}, { halt: null });
        break;
      case 'break':
        world.write(
          'reconciliation',
          'break',
          { rows: ROWS },
          { break: { sinceMs: world.nowMs, rows: ROWS } },
        );
        say('break');
        break;
      case 'books agree':
        world.write('reconciliation', 'ok', {}, { break: null });
        break;
      case 'acknowledge':
        world.acknowledgeOldest();
        break;
      case 'pass':
        await world.pass(each.turns, each.stepMs);
        break;
      case 'crash':
        world.crash(each.isAmidSending);
        break;
      case 'service':
        world.channels[each.channel]?.answers.push(...each.answers);
        break;
    }
  }
  // A night passes, and at its end every service takes what it gets.
  await world.pass(deeds.length + 20, 2 * SECOND_MS);
  await world.pass(100, 15 * MINUTE_MS);
  return expected;
}

test('every alert of the journal arrives, over crashes, services that fail, quiet hours and limits', async () => {
  let crashedAmid = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { maxLength: 40 }),
      fc.record({
        groupMs: fc.constantFrom(0, 10_000, 300_000),
        mostPerHour: fc.constantFrom(1, 4, 30),
        quietHours: fc.constantFrom(null, QUIET, QUIET),
      }),
      // Half of the runs begin in the evening.
      fc.oneof(fc.nat(23), fc.constantFrom(9, 10)),
      async (deeds, pacing, hour) => {
        using world = new AlertWorld(pacing, hour);
        const expected = await live(world, deeds);
        crashedAmid += deeds.filter((each) => each.kind === 'crash' && each.isAmidSending).length;
        expectAll(world, expected);
        expectOnce(world);
        expectNoMore(world);
        expectPace(world, pacing);
      },
    ),
    { numRuns: deepRuns(12), examples: [...EXAMPLES] },
  );
  expect(crashedAmid).toBeGreaterThan(0);
});

/** Expects each alert, delivered by every channel that takes it at once. */
function expectAll(world: AlertWorld, expected: readonly Expected[]): void {
  const alerts = world.alerts();
  const notes = world.notes();
  const missing = expected.filter(
    ({ key, atMs }) =>
      !alerts.some((one) => one.key === key && one.openedAtMs <= atMs && (one.endedAtMs ?? atMs) >= atMs),
  );
  expect(missing).toEqual([]);
  const moments = expected.filter(({ key }) => key.startsWith('big-fill'));
  expect(moments.filter(({ key }) => alerts.filter((one) => one.key === key).length !== 1)).toEqual([]);
  for (const [key, name] of [...expected.map(({ key }) => [key, 'all'] as const), ...gravely(expected)]) {
    const opened = notes.filter(
      (note) => note.key === key && note.channel === name && note.kind === 'opened',
    );
    expect(opened.length, `notes of ${key} for ${name}`).toBeGreaterThan(0);
  }
  const came = new Set(
    world.channels.flatMap(({ name, arrivals }) => arrivals.map(({ id }) => `${name} ${id}`)),
  );
  const lost = notes.filter(({ channel, messageId }) => !came.has(`${channel} bot-${messageId}`));
  expect(lost).toEqual([]);
}

const gravely = (expected: readonly Expected[]) =>
  expected.filter(({ key }) => key === 'break').map(({ key }) => [key, 'grave'] as const);

/** Expects one id for a message delivered twice; its channel and its notes are those of no other. */
function expectOnce(world: AlertWorld): void {
  const messages = world.messages();
  for (const { name, arrivals } of world.channels) {
    const own = messages.filter(({ channel }) => channel === name).map(({ id }) => `bot-${id}`);
    expect([...new Set(arrivals.map(({ id }) => id))].toSorted()).toEqual(own.toSorted());
  }
  expect(messages.filter(({ sentAtMs }) => sentAtMs === null)).toEqual([]);
}

/** Expects that an acknowledged alert is neither escalated nor repeated. */
function expectNoMore(world: AlertWorld): void {
  const nagging = world
    .notes()
    .filter(({ kind }) => kind === 'escalated' || kind === 'reminder')
    .filter(({ atMs, acknowledgedAtMs }) => acknowledgedAtMs !== null && atMs > acknowledgedAtMs);
  expect(nagging).toEqual([]);
}

/** Expects no more messages in an hour than allowed, and at night only critical ones. */
function expectPace(
  world: AlertWorld,
  { mostPerHour, quietHours }: { readonly mostPerHour: number; readonly quietHours: typeof QUIET | null },
): void {
  for (const { channel, severity, madeAtMs } of world.messages()) {
    const before = world
      .messages()
      .filter((one) => one.channel === channel && one.sentAtMs !== null)
      .filter(({ sentAtMs }) => (sentAtMs ?? 0) < madeAtMs && (sentAtMs ?? 0) > madeAtMs - HOUR_MS);
    expect(before.length).toBeLessThan(mostPerHour * (severity === 'critical' ? 2 : 1));
  }
  if (quietHours === null) return;
  const urgent = new Set(
    world
      .notes()
      .filter((note) => note.severity === 'critical')
      .map(({ messageId }) => `bot-${messageId}`),
  );
  const atNight = world.channels
    .flatMap(({ arrivals }) => arrivals)
    .filter(({ id, atMs }) => !urgent.has(id) && isNight(atMs));
  expect(atNight).toEqual([]);
}

/** Tehran is 3.5 hours ahead of UTC; the minutes at both edges are not counted as night. */
function isNight(atMs: number): boolean {
  const minute = ((atMs + 3.5 * HOUR_MS) % (24 * HOUR_MS)) / MINUTE_MS;
  return minute > QUIET.fromMinute || minute < QUIET.toMinute - 24 * 60;
}
