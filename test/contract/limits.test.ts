import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/exchange/endpoints.ts';
import type { Endpoint } from '../../src/exchange/request-types.ts';
import { LIMITS } from './limits-table.ts';

const declared = new Map<string, Endpoint>(
  Object.entries(ENDPOINTS as unknown as Readonly<Record<string, Endpoint>>),
);

describe('limits of the declarations', () => {
  test.each(LIMITS.map((row) => [`${row.method} ${row.path}`, row] as const))('%s', (_, row) => {
    const [first, ...others] = row.endpoints.map((name) => declared.get(name));
    expect(first).toMatchObject({ method: row.method, path: row.path });
    expect(first?.budget).toMatchObject({
      limit: row.limit,
      windowMs: row.windowMs,
      assumed: row.assumed,
      per: row.per,
    });
    for (const other of others) expect(other?.budget).toEqual(first?.budget);
  });

  test('every endpoint is in the table once, and the table has no other', () => {
    expect(LIMITS.flatMap((row) => row.endpoints).toSorted()).toEqual([...declared.keys()].toSorted());
  });

  test('endpoints share a budget only where the table says so', () => {
    const byBudget = Map.groupBy(declared.values(), (endpoint) => endpoint.budget.name);
    const shared = [...byBudget.values()].filter((endpoints) => endpoints.length > 1);
    expect(shared.map((endpoints) => endpoints.map(({ name }) => name).toSorted())).toEqual([
      ['allOrderBooks', 'orderBook'],
      ['allOrderBooksV3', 'orderBookV3'],
    ]);
  });
});
