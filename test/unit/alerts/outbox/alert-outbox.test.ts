import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlertCondition } from '../../../../src/alerts/core/alert-facts.ts';
import { planMessage } from '../../../../src/alerts/core/plan-message.ts';
import { AlertOutbox } from '../../../../src/alerts/alert-outbox.ts';
import { openOutboxFile, openOutboxInMemory, outboxPath } from '../../../../src/alerts/outbox-file.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const CHANNELS = [
  { name: 'phone', least: 'critical', step: 1 },
  { name: 'mail', least: 'info', step: 1 },
] as const;
const ALL = { isOpenOnly: false, last: 100, beforeId: null } as const;

const condition = (key: string, over: Partial<AlertCondition> = {}): AlertCondition => ({
  key,
  severity: 'critical',
  facts: { rule: 'halted', reason: key },
  sinceMs: 1_000,
  ...over,
});

const fill = (index: number): AlertCondition =>
  condition(`fill ${index}`, { severity: 'info', isMoment: true });

const folder = folderOfEachTest();
let outbox: AlertOutbox;
beforeEach(() => {
  outbox = new AlertOutbox(openOutboxFile(folder));
});
afterEach(() => {
  outbox.close();
});

const open = (conditions: readonly AlertCondition[], seq = 1): void =>
  outbox.apply({
    changes: conditions.map((one) => ({ kind: 'open', condition: one })),
    atMs: 2_000,
    cursor: { epoch: 'e', seq },
    channels: CHANNELS,
  });

const compose = (channel: string): ReturnType<AlertOutbox['compose']> => {
  const plan = planMessage(
    { notes: outbox.notes(channel), sent: [], mutedUntilMs: 0 },
    { groupMs: 0, mostPerHour: 100, quietHours: null },
    3_000,
  );
  if (plan.kind !== 'send') throw new Error(`expected something to send, was ${plan.kind}`);
  return outbox.compose(channel, plan.message, 3_000);
};

/** Closes the outbox and opens its file again, as after a crash or in another process. */
const reopen = (): void => {
  outbox.close();
  outbox = new AlertOutbox(openOutboxFile(folder));
};

describe('an outbox', () => {
  test('keeps alerts together with the place in the journal where they were found', () => {
    open([condition('a'), condition('b', { severity: 'info' })], 7);
    reopen();
    expect(outbox.cursor()).toEqual({ epoch: 'e', seq: 7 });
    expect(outbox.openAlerts().map(({ key }) => key)).toEqual(['a', 'b']);
    expect(outbox.notes('phone').map(({ alert }) => alert.key)).toEqual(['a']);
    expect(outbox.notes('mail').map(({ alert }) => alert.key)).toEqual(['a', 'b']);
  });

  test('writes nothing of a look that can not be written whole', () => {
    open([condition('a')], 1);
    expect(() => open([condition('b'), condition('a')], 2)).toThrow('UNIQUE');
    expect(outbox.cursor()).toEqual({ epoch: 'e', seq: 1 });
    expect(outbox.openAlerts().map(({ key }) => key)).toEqual(['a']);
  });

  test('sends a message again under its id after a crash before the reply', () => {
    open([condition('a')]);
    const message = compose('phone');
    open([condition('later')], 2);
    reopen();
    expect(outbox.unsent('phone')).toEqual([message]);
    expect(message.plan.items.map(({ alert }) => alert.key)).toEqual(['a']);
    outbox.sent(message.id, 4_000);
    reopen();
    expect(outbox.unsent('phone')).toEqual([]);
    expect(outbox.sentSince('phone', 0)).toEqual([{ atMs: 4_000, severity: 'critical' }]);
    expect(outbox.notes('phone').map(({ alert }) => alert.key)).toEqual(['later']);
  });

  test('tells how the messages about an alert stand in each channel', () => {
    open([condition('a')]);
    outbox.sent(compose('phone').id, 4_000);
    const mail = compose('mail');
    outbox.failed(mail.id, { nextAtMs: 9_000, problem: 'no route' });
    expect(outbox.unsent('mail')).toMatchObject([{ tries: 1, nextAtMs: 9_000 }]);
    expect(outbox.list(ALL)[0]?.deliveries).toEqual([
      { channel: 'mail', state: 'waiting', atMs: null },
      { channel: 'phone', state: 'delivered', atMs: 4_000 },
    ]);
    outbox.gaveUp(mail.id, { atMs: 10_000, problem: 'no route' });
    expect(outbox.list(ALL)[0]?.deliveries[0]).toEqual({ channel: 'mail', state: 'failed', atMs: 10_000 });
    expect(outbox.unsent('mail')).toEqual([]);
  });

  test('follows an alert from its beginning to its end, and lets another of its key begin', () => {
    open([condition('a')]);
    const [alert] = outbox.openAlerts();
    const id = alert?.id ?? 0;
    const change = (changes: Parameters<AlertOutbox['apply']>[0]['changes'], atMs: number): void =>
      outbox.apply({ changes, atMs, cursor: null, channels: CHANNELS });
    change(
      [
        { kind: 'escalate', id, step: 2 },
        { kind: 'absent', id, sinceMs: 5_000 },
      ],
      4_000,
    );
    expect(outbox.openAlerts()[0]).toMatchObject({ step: 2, saidAtMs: 4_000, absentSinceMs: 5_000 });
    change([{ kind: 'end', id, atMs: 5_000 }], 6_000);
    expect(outbox.openAlerts()).toEqual([]);
    expect(outbox.list({ ...ALL, isOpenOnly: true })).toEqual([]);
    expect(outbox.list(ALL)[0]).toMatchObject({ id, endedAtMs: 5_000 });
    expect(outbox.notes('mail').map(({ kind }) => kind)).toEqual(['opened', 'ended']);
    open([condition('a')], 2);
    expect(outbox.openAlerts()).toMatchObject([{ key: 'a' }]);
  });

  test('is over at once for what only happened', () => {
    open([condition('fill', { isMoment: true })]);
    expect(outbox.openAlerts()).toEqual([]);
    expect(outbox.notes('mail')).toHaveLength(1);
  });

  test('takes an acknowledgement once', () => {
    open([condition('a')]);
    const id = outbox.openAlerts()[0]?.id ?? 0;
    expect(outbox.acknowledge(id, { by: 'ali', atMs: 5 })).toBe(true);
    expect(outbox.acknowledge(id, { by: 'sara', atMs: 6 })).toBe(false);
    expect(outbox.acknowledge(999, { by: 'sara', atMs: 6 })).toBe(false);
    expect(outbox.openAlerts()[0]).toMatchObject({ acknowledgedBy: 'ali', acknowledgedAtMs: 5 });
  });

  test('keeps the newest three hundred notes of a channel, and counts the others', () => {
    open(Array.from({ length: 312 }, (_, index) => condition(`k${index}`)));
    expect(outbox.notes('mail')[0]?.alert.key).toBe('k12');
    expect(compose('mail').plan.more).toBe(300 - 10 + 12);
    open([condition('later')], 2);
    expect(compose('mail').plan.more).toBe(0);
  });

  test('counts what is least grave before what needs a person, as after a night without the service', () => {
    open([condition('lockout'), ...Array.from({ length: 400 }, (_, index) => fill(index))]);
    const [first] = compose('mail').plan.items;
    expect(first?.alert.key).toBe('lockout');
    open([condition('slow', { severity: 'warning' })], 2);
    open(
      Array.from({ length: 300 }, (_, index) => condition(`k${index}`)),
      3,
    );
    expect(outbox.notes('mail').every(({ alert }) => alert.severity === 'critical')).toBe(true);
  });

  test('forgets what is old, and channels that are gone', () => {
    const day = 86_400_000;
    open([condition('old', { isMoment: true }), condition('open')]);
    outbox.sent(compose('mail').id, 4_000);
    outbox.prune(91 * day, CHANNELS.slice(1));
    expect(outbox.list(ALL).map(({ key }) => key)).toEqual(['open']);
    expect(outbox.notes('phone')).toEqual([]);
  });

  test('does not say again what is open for so long that its message is not kept any more', () => {
    const day = 86_400_000;
    open([condition('a')]);
    for (const { name } of CHANNELS) outbox.sent(compose(name).id, 4_000);
    outbox.prune(91 * day, CHANNELS);
    expect(outbox.openAlerts()).toHaveLength(1);
    expect(CHANNELS.flatMap(({ name }) => outbox.notes(name))).toEqual([]);
    const [alert] = outbox.list(ALL);
    expect(alert?.deliveries.every(({ state }) => state === 'delivered')).toBe(true);
  });

  test('says nothing again where there are more messages than are kept', () => {
    outbox.close();
    outbox = new AlertOutbox(openOutboxInMemory());
    // Each alert gives two messages: that it began, and that it is over.
    for (let first = 1; first <= 2_600; first += 100) {
      const ids = Array.from({ length: 100 }, (_, index) => first + index);
      open(
        ids.map((id) => condition(`k${id}`, { severity: 'info' })),
        first,
      );
      outbox.sent(compose('mail').id, 4_000);
      const changes = ids.map((id) => ({ kind: 'end', id, atMs: 5_000 }) as const);
      outbox.apply({ changes, atMs: 5_000, cursor: null, channels: CHANNELS });
      outbox.sent(compose('mail').id, 6_000);
    }
    outbox.prune(10_000, CHANNELS);
    expect(outbox.notes('mail')).toEqual([]);
  });

  test('goes on in memory with what is open or on its way', () => {
    open([condition('a'), condition('b')]);
    outbox.sent(compose('phone').id, 4_000);
    const message = compose('mail');
    open([condition('c')], 2);
    const memory = new AlertOutbox(openOutboxInMemory());
    memory.mergeFrom(outbox);
    expect(memory.cursor()).toEqual({ epoch: 'e', seq: 2 });
    expect(memory.openAlerts()).toEqual(outbox.openAlerts());
    expect(memory.unsent('mail')).toEqual([message]);
    expect(memory.sentSince('phone', 0)).toHaveLength(1);
    expect(memory.notes('mail').map(({ alert }) => alert.key)).toEqual(['c']);
  });

  test('leaves a file of another program alone', () => {
    outbox.close();
    rmSync(outboxPath(folder), { force: true });
    writeFileSync(outboxPath(folder), 'something else');
    expect(() => openOutboxFile(folder)).toThrow('expected an outbox of alerts of sarraf');
    rmSync(outboxPath(folder));
    outbox = new AlertOutbox(openOutboxFile(folder));
  });
});
