import { describe, expect, test } from 'vitest';
import { redactedReply, Redactor } from '../../../src/exchange/redactor.ts';

const SECRET = 'a"b/c+d e=f\\ß-4711-hidden';
const bytes = Buffer.from(SECRET);
const json = JSON.stringify(SECRET).slice(1, -1);
const escaped = 'hidden-4711-value'.replaceAll(
  /./g,
  (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
);

describe('the redactor', () => {
  test.each([
    ['as it is', SECRET, SECRET],
    ['in JSON', SECRET, json],
    ['in JSON with escaped slashes', SECRET, json.replaceAll('/', '\\/')],
    ['URL-encoded', SECRET, encodeURIComponent(SECRET)],
    [
      'URL-encoded in lower case',
      SECRET,
      encodeURIComponent(SECRET).toLowerCase().replace('hidden', 'hidden'),
    ],
    ['URL-encoded as a form', SECRET, encodeURIComponent(SECRET).replaceAll('%20', '+')],
    ['in Base64', SECRET, bytes.toString('base64')],
    ['in URL-safe Base64', SECRET, bytes.toString('base64url')],
    ['in a header in Base64', SECRET, Buffer.from(`Token ${SECRET} x`).toString('base64')],
    ['in another header in Base64', SECRET, Buffer.from(`user:${SECRET}`).toString('base64')],
    ['in a third header in Base64', SECRET, Buffer.from(`Basic: ${SECRET}!!`).toString('base64url')],
    ['in hexadecimal', SECRET, bytes.toString('hex')],
    ['in large hexadecimal', SECRET, bytes.toString('hex').toUpperCase()],
    ['in needless escapes', 'hidden-4711-value', escaped],
  ])('takes a secret out that is written %s', (_, secret, written) => {
    const clean = new Redactor([secret]).redact(`{"message":"it was ${written} that came"}`);
    expect(clean).toContain('[secret]');
    expect(clean).not.toContain(written.slice(4, -4));
    expect(clean).toMatch(/^\{"message":"it was .*that came"\}$/s);
  });

  test('gives back the very text in which there is none', () => {
    const text = '{"message":"a caf\\u00e9 and a \\/ path"}';
    expect(new Redactor([SECRET]).redact(text)).toBe(text);
  });

  test('changes no number of a reply, and does in a log', () => {
    const text = '{"price":"126000000000"}';
    expect(new Redactor(['26000000'], { isForReplies: true }).redact(text)).toBe(text);
    expect(new Redactor(['26000000']).redact(text)).toBe('{"price":"1[secret]000"}');
  });

  test('takes out what it learns later', () => {
    const redactor = new Redactor([]);
    redactor.learn('token-of-a-log-in');
    expect(redactor.redact('your token-of-a-log-in')).toBe('your [secret]');
  });
});

const request = (path: string) =>
  ({ method: 'POST', path, headers: {}, body: null, timeoutMs: 1_000 }) as const;

describe('a redacted reply', () => {
  test('cleans bodies and headers', () => {
    const response = { status: 400, headers: { location: `/x/${SECRET}` }, body: `{"code":"${json}"}` };
    const clean = redactedReply(new Redactor([SECRET]), request('/users/profile'), response);
    expect(clean).toEqual({ status: 400, headers: { location: '/x/[secret]' }, body: '{"code":"[secret]"}' });
  });

  test('hands a log-in its token, also one that it knows, and takes it out of what comes later', async () => {
    const redactor = new Redactor(['token-of-a-log-in']);
    const body = JSON.stringify({ key: 'token-of-a-log-in', device: 'device-4711' });
    const given = redactedReply(redactor, request('/auth/login/'), { status: 200, headers: {}, body });
    expect(given.body).toBe(body);
    const later = redactedReply(redactor, request('/users/profile'), { status: 200, headers: {}, body });
    expect(later.body).toBe('{"key":"[secret]","device":"[secret]"}');
  });

  test('cleans a log-in that was refused', () => {
    const response = { status: 400, headers: {}, body: '{"non_field_errors":["not hidden-password"]}' };
    const clean = redactedReply(new Redactor(['hidden-password']), request('/auth/login/'), response);
    expect(clean.body).toBe('{"non_field_errors":["not [secret]"]}');
  });

  test('takes a one-time password and a password of digits out of a refusal, and out of no other reply', async () => {
    const logIn = {
      ...request('/auth/login/'),
      headers: { 'X-TOTP': '424242' },
      body: '{"password":"8172635"}',
    };
    const said = '{"status":"failed","message":"424242 and 8172635"}';
    for (const status of [400, 429]) {
      const { body } = redactedReply(new Redactor([]), logIn, { status, headers: {}, body: said });
      expect(body).toBe('{"status":"failed","message":"[secret] and [secret]"}');
    }
    const order = { ...request('/market/orders/add'), headers: { 'X-TOTP': '424242' } };
    const refused = redactedReply(new Redactor([]), order, { status: 200, headers: {}, body: said });
    expect(refused.body).toBe('{"status":"failed","message":"[secret] and 8172635"}');
    const body = '{"status":"ok","order":{"id":424242}}';
    const placed = redactedReply(new Redactor([]), order, { status: 200, headers: {}, body });
    expect(placed.body).toBe(body);
  });

  test('cleans the name of a header', () => {
    const response = { status: 400, headers: { 'x-hidden-password': 'a' }, body: '' };
    const clean = redactedReply(new Redactor(['hidden-password']), request('/users/profile'), response);
    expect(clean.headers).toEqual({ 'x-[secret]': 'a' });
  });
});
