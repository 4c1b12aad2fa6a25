import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../src/engine/outbox.ts';

describe('the outbox', () => {
  it('hands everything over once, in its order', () => {
    const outbox = new Outbox();
    outbox.nowMs = 5;
    outbox.persist('row', 1);
    outbox.info('one');
    outbox.alarm('two', 'it');
    outbox.ask({ kind: 'wallets' }, { requestClass: 'account', withinMs: 10 }, () => undefined);
    const output = outbox.emit(7);
    expect(output).toEqual({
      changes: [{ kind: 'kept', name: 'row', json: '1' }],
      isDurable: false,
      requests: [
        { id: 1, call: { kind: 'wallets' }, requestClass: 'account', dedupe: null, expiresAtMs: 15 },
      ],
      notices: [
        { kind: 'notice', level: 'info', message: 'one', subject: null },
        { kind: 'notice', level: 'error', message: 'two', subject: 'it' },
      ],
      wakeAtMs: 7,
    });
    expect(outbox.emit(8)).toEqual({ changes: [], isDurable: false, requests: [], notices: [], wakeAtMs: 8 });
  });

  it('gives an answer once, to who asked for it', () => {
    const outbox = new Outbox();
    const said: string[] = [];
    for (const name of ['first', 'second']) {
      outbox.ask({ kind: 'wallets' }, { requestClass: 'account', withinMs: 10 }, ({ outcome }, { atMs }) => {
        said.push(`${name} ${outcome} at ${atMs}`);
      });
    }
    outbox.answered(2)?.apply({ outcome: 'value', value: [] }, { atMs: 3, sentAtMs: 1, reply: null });
    expect(outbox.answered(2)).toBeUndefined();
    expect(said).toEqual(['second value at 3']);
  });

  it('wants on the disk what changes the exchange, and no longer than for one step', () => {
    const outbox = new Outbox();
    outbox.ask({ kind: 'cancel-old' }, { requestClass: 'cancel', withinMs: 10 }, () => undefined);
    expect(outbox.emit(1).isDurable).toBe(true);
    expect(outbox.emit(1).isDurable).toBe(false);
    outbox.durable();
    expect(outbox.emit(1).isDurable).toBe(true);
  });

  it('counts the notices beyond two hundred and tells them as one', () => {
    const outbox = new Outbox();
    for (let count = 0; count < 205; count += 1) outbox.info(String(count));
    const { notices } = outbox.emit(1);
    expect(notices).toHaveLength(201);
    expect(notices.at(-1)).toMatchObject({
      level: 'warning',
      message: expect.stringMatching(/^5 more notices/),
    });
    outbox.info('again');
    expect(outbox.emit(1).notices).toHaveLength(1);
  });

  it('gathers no notices where nobody reads them', () => {
    const outbox = new Outbox({ isWatched: false });
    outbox.alarm('unheard');
    expect(outbox.isEmpty).toBe(true);
    expect(outbox.emit(1).notices).toEqual([]);
  });
});
