import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  makeRoomForPaperAccount,
  openPaperAccountFile,
  PAPER_ACCOUNT,
} from '../../../src/daemon/paper-account-file.ts';
import { MirrorFolder, NOW_MS } from '../mirror/mirror-fixture.ts';

const ORIGIN = { baseUrl: 'http://exchange.test', balances: {}, beganAtMs: NOW_MS };

function beginAccount(folder: string): void {
  const file = openPaperAccountFile(folder);
  file.prepare("INSERT INTO facts VALUES ('origin', ?)").run(JSON.stringify(ORIGIN));
  file.close();
}

test('a mirror without its account goes aside, and one with an account stays until a new one is wanted', () => {
  using place = new MirrorFolder();
  const { folder } = place;
  const path = join(folder, 'paper.sqlite');
  const make = (isWanted: boolean): string | null =>
    makeRoomForPaperAccount(folder, { isWanted, nowMs: NOW_MS + Number(isWanted) });
  expect(make(false)).toBeNull();
  place.open({ path }).close();
  const aside = make(false);
  expect(existsSync(path)).toBe(false);
  expect(existsSync(join(aside ?? '', 'paper.sqlite'))).toBe(true);

  place.open({ path }).close();
  beginAccount(folder);
  expect(make(false)).toBeNull();
  const replaced = make(true);
  for (const name of ['paper.sqlite', PAPER_ACCOUNT]) {
    expect(existsSync(join(folder, name))).toBe(false);
    expect(existsSync(join(replaced ?? '', name))).toBe(true);
  }
});
