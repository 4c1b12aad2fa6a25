import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startNode, type SarrafProcess } from '../support/sarraf-process.ts';

/** Runs `promtool` of the Prometheus package; .ci/run installs it. */
const promtool = (args: readonly string[], input = '') =>
  spawnSync('promtool', args, { input, encoding: 'utf8', cwd: 'config/observability' });

let bot: SarrafProcess | null = null;
let folder: string | null = null;
afterEach(async () => {
  bot?.child.kill('SIGTERM');
  await bot?.finished;
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
});

test.each([
  [['check', 'config', 'prometheus.yaml']],
  [['check', 'rules', 'rules.yaml']],
  [['test', 'rules', 'rules.test.yaml']],
])('promtool %j finds nothing wrong', (args) => {
  const { status, stdout, stderr } = promtool(args);
  expect({ status, said: `${stdout}${stderr}` }).toEqual({
    status: 0,
    said: expect.stringContaining('SUCCESS'),
  });
});

test('promtool finds no fault in the numbers of a bot at work', async () => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-metrics-'));
  bot = startNode(['bin/sarraf.js', 'run', '--json', '--data', folder, '--set', 'health.port=0']);
  const line = await bot.line((text) => text.includes('"event":"health"'));
  const { address } = JSON.parse(line) as { readonly address: string };
  await bot.line((text) => text.includes('"kind":"fill"') || text.includes('"event":"fill"'));
  const text = await (await fetch(`${address}/metrics`)).text();
  expect(text).toMatch(/^sarraf_position\{strategy=/m);
  expect(text).toMatch(/^sarraf_order_latency_seconds_count [1-9]/m);
  const { status, stdout, stderr } = promtool(['check', 'metrics'], text);
  expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' });
});
