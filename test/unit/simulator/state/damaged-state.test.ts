import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  readStateFile,
  StateFileError,
  writeStateFile,
} from '../../../../src/simulator-server/exchange-state.ts';
import { BUY, createVenue, place, START_MS } from '../wire/fixture.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const folder = folderOfEachTest();
let file: string;
beforeEach(() => {
  file = join(folder, 'exchange.json');
});

test.each([
  ['a balance that does not add up', /"total":"(\d+)"/, '"total":"1$1"', 'add up to 0'],
  ['a hold without its order', /"held":"0"/, '"held":"5"', 'units for open orders'],
  ['a price that is no number', /"lastPrice":\d+/, '"lastPrice":"x"', 'in whole steps'],
  ['a price that is null', /"lastPrice":\d+/, '"lastPrice":null', 'in whole steps'],
  ['an open order with nothing left', /"remaining":\d+/, '"remaining":0', 'something left'],
  ['a time after all dates', /"savedAtMs":\d+/, '"savedAtMs":1e300', 'expected a file of the format'],
])('a state with %s is refused with its reason, and stays as it is', (_what, found, replacement, reason) => {
  const venue = createVenue();
  place(venue, BUY);
  writeStateFile(file, venue.exchange, START_MS);
  const damaged = readFileSync(file, 'utf8').replace(found, replacement);
  writeFileSync(file, damaged);
  const read = (): unknown => readStateFile(file, createVenue().exchange, START_MS);
  expect(read).toThrow(StateFileError);
  expect(read).toThrow(reason);
  expect(readFileSync(file, 'utf8')).toBe(damaged);
});
