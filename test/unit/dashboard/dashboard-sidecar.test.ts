import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { DashboardSidecar } from '../../../src/dashboard/dashboard-sidecar.ts';
import { configOf } from '../daemon/settings/bot-config-reading.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

test('a run without a page says which port another program uses, and what to do', async () => {
  const folder = folderOfThisTest();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const config = configOf(`mode: embedded\ndata: { folder: ${folder} }`);
  const dashboard = { ...config.dashboard, port, isPortWritten: false };
  const said = Promise.withResolvers<string>();
  const sidecar = new DashboardSidecar({
    config: { ...config, dashboard },
    screen: { log: (_who, text) => said.resolve(text), notify: (_level, text) => said.resolve(text) },
    writeToPerson: null,
  });
  sidecar.begin();
  expect(await said.promise).toBe(
    `no page: another program uses port ${port}; set dashboard.port to a free one`,
  );
  await sidecar.end();
  await new Promise((resolve) => other.close(resolve));
});
