import { describe, expect, test } from 'vitest';
import { ALL_BODIES } from './bodies/all-bodies.ts';
import { call, clientOver } from './client-over.ts';
import { OneReply } from './one-reply.ts';
import { RawVenue } from './wire/raw-venue.ts';
import { SAMPLE_REQUESTS } from './sample-requests.ts';
import { deepRuns } from '../support/deep-runs.ts';

/** Field names with a meaning in JavaScript, but none at an exchange. */
const NAMES = ['__proto__', 'constructor', 'prototype', '\\u005f_proto__'];

/** Value of a planted field; it must not be found anywhere afterwards. */
const PLANTED =
  '{"isPlanted": true, "price": "1", "bids": [], "asks": [], "minOrders": {"isPlanted": "1"}, "__proto__": {"isPlanted": true}}';

/** Values that such a field may have. */
const VALUES = [PLANTED, '1', '"1"', 'null', '[[]]'].slice(0, deepRuns(1));

/** Returns copies of a body in which a field is planted first in an object: in each, and in all. */
function plantedIn(body: string, field: string): readonly string[] {
  const places = [...body.matchAll(/\{(?=\s*")/g)].map(({ index }) => index + 1);
  const plant = (text: string, place: number): string =>
    `${text.slice(0, place)}${field}, ${text.slice(place)}`;
  return [...places.map((place) => plant(body, place)), places.toReversed().reduce(plant, body)];
}

/** Yields every object that is reachable from a value. */
function* objectsIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

const ownNames = (value: object): readonly string[] => Object.getOwnPropertyNames(value).toSorted();
const BUILT_IN = [Object.prototype, Array.prototype, Function.prototype, Object, Array].map(
  (object) => [object, ownNames(object)] as const,
);

function expectClean(result: unknown): void {
  for (const [object, names] of BUILT_IN) expect(ownNames(object)).toEqual(names);
  expect(Object.hasOwn(Object.prototype, 'isPlanted')).toBe(false);
  for (const object of objectsIn(result)) {
    const prototype: unknown = Object.getPrototypeOf(object);
    expect([Object.prototype, Array.prototype, null]).toContain(prototype);
    expect(Object.hasOwn(object, '__proto__')).toBe(false);
    // An ordinary object has only declared names; in a record such a name is an own key, or absent.
    if (prototype === Object.prototype)
      for (const name of NAMES) expect(Object.hasOwn(object, name)).toBe(false);
    if (!Object.hasOwn(object, 'isPlanted'))
      expect((object as { readonly isPlanted?: unknown }).isPlanted).toBeUndefined();
  }
}

describe.each(NAMES.slice(0, deepRuns(2)))('a reply with fields named %s', (name) => {
  test.each(
    ALL_BODIES.map((body, index) => [`${index + 1}: ${body.endpoint} in ${body.form}`, body] as const),
  )('%s', async (_, { endpoint, request, body }) => {
    for (const planted of VALUES) {
      for (const text of plantedIn(body, `"${name}": ${planted}`)) {
        const result = await call(clientOver(new OneReply({ body: text })), endpoint, request).catch(
          (error: unknown) => (error as { readonly details?: unknown }).details,
        );
        expectClean(result);
      }
    }
  });
});

test.each(['__proto__', '\\u005f_proto__'])(
  'a field named %s changes nothing of what is read',
  async (name) => {
    for (const { endpoint, request, body } of ALL_BODIES) {
      const plain = await call(clientOver(new OneReply({ body })), endpoint, request);
      for (const text of plantedIn(body, `"${name}": ${PLANTED}`))
        expect(await call(clientOver(new OneReply({ body: text })), endpoint, request)).toEqual(plain);
    }
  },
);

test('global statistics by such names are records of their own', async () => {
  const body =
    '{"markets": {"isAdmin": {"__proto__": 1, "constructor": 2}, "__proto__": {"btc": 3}}, "prototype": {"a": {"price": "4"}}}';
  const result = await call(clientOver(new OneReply({ body })), 'globalStats');
  expectClean(result);
  expect(result).toEqual({ ok: true, value: { constructor: { isAdmin: '2' }, prototype: { a: '4' } } });
  expect(({} as { readonly isAdmin?: unknown }).isAdmin).toBeUndefined();
});

describe.each(NAMES)('a request with fields named %s', (name) => {
  test.each(Object.entries(SAMPLE_REQUESTS))('%s is answered as without them', (_, { request, body }) => {
    const field = `"${name}": ${PLANTED}`;
    const text = JSON.stringify(body ?? {});
    const planted = text === '{}' ? `{${field}}` : `{${field}, ${text.slice(1)}`;
    const answers = [text, planted].map((sent) => new RawVenue().send(request, { body: sent }));
    expect(answers[1]).toEqual(answers[0]);
    const [path, query = ''] = request.split('?');
    const more = `${query}${query === '' ? '' : '&'}${encodeURIComponent(name)}=1`;
    const asked = new RawVenue().send(`${path}?${more}`, { body: text });
    expect(asked).toEqual(answers[0]);
    expectClean(null);
  });
});
