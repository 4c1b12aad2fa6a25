import { describe, expect, it } from 'vitest';
import { AccountCheck } from '../../../../src/daemon/account-check.ts';
import type { AccountReading } from '../../../../src/venues/account-reader.ts';
import type { Limiter } from '../../../../src/budget/limiter.ts';
import { sendRequest, type RequestEnd, type VenueCaller } from '../../../../src/venues/venue-caller.ts';
import type { VenueCall } from '../../../../src/venues/port.ts';
import { SarrafError } from '../../../../src/domain/errors.ts';

const ONE: AccountReading = { kind: 'read', fields: { username: 'one' } };
const TWO: AccountReading = { kind: 'read', fields: { username: 'two' } };
const LATE: AccountReading = {
  kind: 'failed',
  error: new SarrafError('TIMED_OUT', 'late', { outcome: 'none' }),
};
const UNAVAILABLE: AccountReading = { kind: 'unavailable', why: 'not permitted', fields: {} };

const { signal } = new AbortController();

/** A limiter that sends every request at once. */
const limiter: Limiter = {
  submit: ({ send, handler }) =>
    send(signal, { onEnd: (value) => handler.onEnd({ sent: true, value }), onError: handler.onError }),
  close: async () => {},
};

/** Makes a check whose exchange answers with these accounts in turn; the last one is repeated. */
function checkWith(mirror: { text: string | null }, ...readings: readonly AccountReading[]) {
  const said: string[] = [];
  const sent: string[] = [];
  let asked = 0;
  const check = new AccountCheck({
    reader: {
      read: async () => {
        const reading = readings[Math.min(asked, readings.length - 1)] ?? LATE;
        asked += 1;
        return reading;
      },
    },
    mirror: {
      path: 'mirror.sqlite',
      account: () => mirror.text,
      persistAccount: (text) => void (mirror.text = text),
    },
    log: (message) => said.push(message),
  });
  const caller: VenueCaller = {
    endpointOf: () => 'wallets',
    budgetOf: () => 'wallets',
    credentialOf: (call) => (call.kind === 'options' ? 'none' : 'with'),
    timeoutMsOf: () => 1_000,
    send: (call, _signal, { onEnd }) => {
      sent.push(call.kind);
      onEnd({ answer: { outcome: 'value', value: [] }, error: null });
    },
  };
  const guarded = check.guard(caller);
  const send = async (call: VenueCall): Promise<RequestEnd> =>
    sendRequest(
      { call, requestClass: 'account', dedupe: null, expiresAtMs: 1_000 },
      { limiter, caller: guarded, canLogIn: false, engineMs: () => 0, limiterMs: () => 0 },
    );
  return { check, send, said, sent, asked: () => asked };
}

describe('the check of the account', () => {
  it('keeps the first account that it sees, and lets it pass again', async () => {
    const mirror = { text: null };
    await checkWith(mirror, ONE).check.open();
    expect(mirror.text).toMatch(/hashes/);
    const again = checkWith(mirror, ONE);
    await again.check.open();
    await again.send({ kind: 'wallets' });
    expect([again.sent, again.asked(), again.said]).toEqual([['wallets'], 1, []]);
  });

  it.each(['', 'null', '{}', '{"salt":1,"hashes":{}}', '{"salt":"00","hashes":{"username":3}}'])(
    'refuses a kept account that is damaged: %s',
    async (text) => {
      const { check, sent } = checkWith({ text }, ONE);
      await expect(check.open()).rejects.toMatchObject({
        code: 'DATA_UNUSABLE',
        message: expect.stringMatching(
          /mirror\.sqlite, found a damaged row in the table meta \(name "account"\): ./,
        ) as string,
      });
      expect(sent).toEqual([]);
    },
  );

  it('refuses another one before anything is sent, and says how to begin anew', async () => {
    const mirror = { text: null };
    await checkWith(mirror, ONE).check.open();
    const kept = mirror.text;
    const { check, sent } = checkWith(mirror, TWO);
    await expect(check.open()).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(/begin a new data folder/),
    });
    expect([sent, mirror.text]).toEqual([[], kept]);
  });

  it('says once that it can not be read, and goes on; keeps it once it can', async () => {
    const mirror = { text: null };
    const blind = checkWith(mirror, UNAVAILABLE);
    await blind.check.open();
    await blind.send({ kind: 'wallets' });
    expect(blind.said).toEqual(['the account is not checked: not permitted']);
    expect([blind.sent, mirror.text]).toEqual([['wallets'], null]);
    await checkWith(mirror, ONE).check.open();
    await expect(checkWith(mirror, TWO).check.open()).rejects.toThrow(/another one/);
  });

  it('lets no call with the credential leave before the exchange has answered', async () => {
    const mirror = { text: null };
    const { check, send, sent, said, asked } = checkWith(mirror, LATE, LATE, ONE);
    await check.open();
    expect(said).toEqual([expect.stringMatching(/^the account is not known yet/)]);
    const [held, open] = await Promise.all([send({ kind: 'wallets' }), send({ kind: 'options' })]);
    expect(held).toMatchObject({ answer: { outcome: 'failed', code: 'TIMED_OUT', effect: 'none' } });
    expect(open.answer.outcome).toBe('value');
    await Promise.all([send({ kind: 'wallets' }), send({ kind: 'wallets' })]);
    expect([sent, asked()]).toEqual([['options', 'wallets', 'wallets'], 3]);
  });

  it('ends the run when another account answers later', async () => {
    const mirror = { text: null };
    await checkWith(mirror, ONE).check.open();
    const { check, send, sent } = checkWith(mirror, LATE, TWO);
    await check.open();
    await expect(send({ kind: 'wallets' })).rejects.toMatchObject({
      details: { endsRun: true },
    });
    expect(sent).toEqual([]);
  });
});
