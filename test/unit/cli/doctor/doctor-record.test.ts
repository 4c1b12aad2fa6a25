import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymousReply, Pseudonyms } from '../../../../src/cli/doctor/anonymous-reply.ts';
import type { SeenReply } from '../../../../src/cli/doctor/check-exchange.ts';
import { recordText } from '../../../../src/cli/commands/doctor.ts';
import { serveAccount, type ServedAccount } from '../../../support/served-account.ts';
import { BY_TOKEN, configOf, examine, writeConfig } from './doctor-world.ts';

let served: ServedAccount;
let seen: readonly SeenReply[];
beforeAll(async () => {
  served = await serveAccount();
  ({ seen } = await examine(served, { credentials: BY_TOKEN }));
});
afterAll(async () => served.close());

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
    for (const own of ['trader', 'panel-token', 'somebody', served.baseUrl, '0100-200-300', 'Sample']) {
      expect(text).not.toContain(own);
    }
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
