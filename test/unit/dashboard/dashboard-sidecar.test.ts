import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readAddressNote } from '../../../src/dashboard/access-store.ts';
import { DashboardSidecar } from '../../../src/dashboard/dashboard-sidecar.ts';
import { configOf } from '../daemon/settings/bot-config-reading.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

test('a page whose usual port another program uses takes the next free one, and says and records which', async () => {
  const folder = folderOfThisTest();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const config = configOf(`mode: embedded\ndata: { folder: ${folder} }`);
  const dashboard = { ...config.dashboard, port, isPortWritten: false };
  const lines: string[] = [];
  const begun = Promise.withResolvers<void>();
  const hear = (text: string): void => {
    if (lines.push(text) === 3) begun.resolve();
  };
  const sidecar = new DashboardSidecar({
    config: { ...config, dashboard },
    screen: { log: (_who, text) => hear(text), notify: (_level, text) => hear(text) },
    writeToPerson: null,
  });
  sidecar.begin();
  await begun.promise;
  const address = readAddressNote(folder) ?? '';
  const taken = Number(new URL(address).port);
  expect(taken).toBeGreaterThan(port);
  expect(lines).toEqual([
    `another program uses port ${port}, so the page is at port ${taken}; dashboard.port sets another`,
    `page at ${address}, token in ${folder}/dashboard-token`,
    'times in these lines are UTC; the page shows those of Tehran',
  ]);
  await sidecar.end();
  await new Promise((resolve) => other.close(resolve));
});
