import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { spotExchangeSettings } from '../../src/binance-spot/simulated-exchange.ts';

const MAIN = join(import.meta.dirname, '../../bin/sarraf.js');
const page = readFileSync('docs/binance-spot.md', 'utf8');
const blocks = (kind: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\n([^]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block);

test('the configuration of the page is a valid one', () => {
  const [block = ''] = blocks('yaml');
  expect(spotExchangeSettings.parse(parse(block)).users[0]?.keys).toHaveLength(3);
});

test('the commands of the page start an exchange, read it and buy', async () => {
  const [start = '', ...others] = blocks('sh');
  expect(others).toHaveLength(2);
  const parameters = start.trim().replace(/\d+$/, '0').split(' ').slice(1);
  const child = spawn(process.execPath, [MAIN, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  let out = '';
  const address = await new Promise<string>((resolve, reject) => {
    child.on('close', () => reject(new Error(`expected an address, was ${out}`)));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
      const [found] = /http:\/\/[\d.:]+/.exec(out) ?? [];
      if (found !== undefined && out.includes('\nIts key: sarrafSimulatorKey')) resolve(found);
    });
  });
  const [depth, order] = others.map((block) => {
    const line = block.replaceAll('http://127.0.0.1:8901', address);
    return JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' })) as Record<string, unknown>;
  });
  expect(depth).toMatchObject({ bids: [{}, {}], asks: [{}, {}] });
  expect(order).toMatchObject({ symbol: 'BTCUSDT', status: 'FILLED', origQuoteOrderQty: '100.00000000' });
  child.kill('SIGTERM');
  expect(await closed).toBe(0);
  expect(out).toContain('The exchange has stopped after 2 requests.');
});
