import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { ControlClient } from '../src/daemon/control-client.ts';
import { SARRAF } from './child-usage.ts';
import { wayFigures, type BenchResult } from './result.ts';

const ACTIONS = 20;
const LONGEST_MS = 250;
/** Time between commands, in ms: the bot has finished one, and each meets another moment of its loop. */
const APART_MS = 1_037;
const PATIENCE_MS = 60_000;

/** Measures the time from posting a command until the engine takes it, in a bot that runs in real time. */
export async function benchAction(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-action-'));
  const config = join(folder, 'bot.json');
  const data = { folder };
  writeFileSync(config, JSON.stringify({ embedded: { speed: 1 }, data, dashboard: { port: null } }));
  const bot = spawn(process.execPath, [SARRAF, 'run', '--config', config, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface({ input: bot.stdout })) if (line.includes('"begin"')) break;
    bot.stdout.resume();
    await pause(5_000);
    const control = new ControlClient(folder);
    const waysMs: number[] = [];
    for (let action = 0; action < ACTIONS; action += 1) {
      const isHalt = action % 2 === 0;
      const postedAtMs = Date.now();
      const id = control.post(
        isHalt ? { kind: 'halt', reason: 'measured', wholeAccount: false } : { kind: 'resume' },
      );
      const endMs = postedAtMs + PATIENCE_MS;
      const { takenAtMs } = await control.follow({
        id,
        isOver: (state) => state.takenAtMs !== null || Date.now() > endMs,
      });
      if (takenAtMs === null) throw new Error('expected the bot to take a command');
      waysMs.push(takenAtMs - postedAtMs);
      await pause(APART_MS);
    }
    control.close();
    return wayFigures('action: a command that is posted to the engine', waysMs, LONGEST_MS);
  } finally {
    bot.kill('SIGTERM');
    if (bot.exitCode === null) await once(bot, 'close');
    rmSync(folder, { recursive: true, force: true });
  }
}
