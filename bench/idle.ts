import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { childUsage, SARRAF, type ChildUsage } from './child-usage.ts';
import type { BenchResult } from './result.ts';

/** The measured part of the life, in ms; the time before it is the start. */
const BETWEEN = { fromMs: 15_000, toMs: 60_000 };
const MARKETS = 30;
const LONGEST_LAG_MS = 5;
const MOST_PERCENT = 1;

const listeningSchema = z.object({ event: z.literal('listening'), address: z.url() });

const symbolAt = (index: number): string => `C${String(index).padStart(2, '0')}USDT`;
const symbols = Array.from({ length: MARKETS }, (_, index) => symbolAt(index));

/** Runs a paper bot in some markets for a while, beside an exchange in another process. */
function lived(folder: string, address: string, markets: readonly string[]): ChildUsage {
  const own = mkdtempSync(join(folder, 'bot-'));
  const config = join(own, 'bot.json');
  const strategies = markets.map((market) => ({
    plugin: 'ma-cross',
    name: market.toLowerCase(),
    market,
    timeframe: '1m',
  }));
  const paper = { balances: { usdt: '10000' } };
  writeFileSync(config, JSON.stringify({ mode: 'paper', exchange: { baseUrl: address }, paper, strategies }));
  return childUsage({
    command: [SARRAF, 'run', '--config', config, '--data', join(own, 'data')],
    folder,
    environment: { XDG_STATE_HOME: join(own, 'state') },
    between: BETWEEN,
  });
}

/**
 * Runs a measurement beside a simulated exchange in a process of its own. `lived` runs a bot in real time that
 * follows it, with a strategy in each of some markets; thirty if none are given.
 */
export async function besideExchange<Result>(
  measure: (lived: (markets?: readonly string[]) => ChildUsage, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-idle-'));
  const config = join(folder, 'exchange.json');
  const terms = { priceStep: '0.01', amountStep: '0.000001', initialPrice: '100' };
  writeFileSync(config, JSON.stringify({ markets: symbols.map((symbol) => ({ symbol, ...terms })) }));
  const exchange = spawn(
    process.execPath,
    [SARRAF, 'exchange', '--port', '0', '--config', config, '--json'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const [line] = await once(createInterface({ input: exchange.stdout }), 'line');
    const { address } = listeningSchema.parse(JSON.parse(String(line)));
    return await measure((markets = symbols) => lived(folder, address, markets), folder);
  } finally {
    exchange.kill();
    if (exchange.exitCode === null) await once(exchange, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the CPU use of a bot with one idle strategy, and the lag of its loop with thirty. */
export async function benchIdle(): Promise<BenchResult[]> {
  return besideExchange(async (live) => {
    const one = live(symbols.slice(0, 1));
    const percent = (100 * one.cpuMs) / one.wallMs;
    const { lagMs } = live();
    return [
      {
        name: 'idle: share of a core, one strategy',
        value: percent,
        unit: '%',
        reference: null,
        ratio: null,
        target: MOST_PERCENT,
        holds: percent <= MOST_PERCENT,
      },
      {
        name: `idle: lag of the loop with ${MARKETS} markets, 99 of 100`,
        value: lagMs,
        unit: 'ms',
        reference: null,
        ratio: null,
        target: LONGEST_LAG_MS,
        holds: lagMs <= LONGEST_LAG_MS,
      },
    ];
  });
}
