import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Dice } from '../../src/fuzz/dice.ts';
import { DATA_FILES } from '../support/data-files.ts';
import { numberOf } from './environment.ts';

const KILLS = numberOf('SARRAF_KILLS', 25);
const SEED = numberOf('SARRAF_SEED', Date.now() % 1_000_000);
const LONGEST_LIFE_MS = 30;

const SCRIPT = `
import { DATA_FILES } from ${JSON.stringify(resolve('test/support/data-files.ts'))};
process.stdout.write('begins\\n');
for (const [, open] of DATA_FILES) open(process.argv[1]).close();
`;

test('a first start that is killed while it makes its files leaves none that the next refuses', async () => {
  const dice = Dice.of(SEED, 'first start');
  for (let kill = 0; kill < KILLS; kill += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'sarraf-first-'));
    const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    await pause(dice.between(0, LONGEST_LIFE_MS));
    child.kill('SIGKILL');
    await ended;
    for (const [name, open] of DATA_FILES)
      expect(() => open(folder).close(), `${name}, seed ${SEED}, kill ${kill}`).not.toThrow();
    rmSync(folder, { recursive: true });
  }
});
