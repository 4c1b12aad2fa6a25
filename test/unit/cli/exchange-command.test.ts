import { createServer } from 'node:net';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { sarrafHere, failed, printed } from '../../support/sarraf-here.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const folder = folderOfEachTest();
afterEach(() => {
  chmodSync(folder, 0o700);
});

/** Serving itself is tested in test/process/exchange-command.process.ts. */
describe('what goes wrong', () => {
  test('in a configuration comes whole, with lines, and ends with 2', async () => {
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, 'markets: []\nlenience: perhaps\nflo: {}\n');
    const { code, error, out } = await sarrafHere(['exchange', '--config', file]);
    expect([code, out]).toEqual([2, '']);
    expect(error.trim().split('\n')).toEqual([
      expect.stringMatching(/bad\.yaml:1:10: markets: /) as unknown,
      expect.stringMatching(/bad\.yaml:2:11: lenience: /) as unknown,
      expect.stringMatching(/bad\.yaml:3:1: flo: unknown key, did you mean flow\?/) as unknown,
    ]);
  });

  test.each([
    [['exchange', '--config', 'no-such.yaml'], /no-such\.yaml:1:1: expected a file/],
    [['exchange', '--port', '70000'], /expected a whole number from 0 to 65535/],
    [['exchange', '--prot', '1'], /--port/],
    [['exchange', '--venue', 'binance'], /service, binance-spot/],
    [['exchange', '--venue', 'binance-spot', '--state', 'x'], /--state: .* has no state file/],
    [['exchange', '--venue', 'binance-spot', '--save-every', '5'], /--save-every: .* has no state file/],
    [['exchnage'], /exchange/],
  ])('%j ends with 2 and one line that helps', async (parameters, message) => {
    expect(await sarrafHere(parameters)).toEqual(failed(2, message));
  });

  test('in a configuration of another exchange is named too', async () => {
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, 'markets: [{ symbol: btc, base: BTC, quote: USDT, startPrice: 1.005 }]\n');
    const { code, error } = await sarrafHere(['exchange', '--venue', 'binance-spot', '--config', file]);
    expect(code).toBe(2);
    expect(error).toMatch(/bad\.yaml:1:21: markets\[0\]\.symbol: expected a symbol in capitals/);
  });

  test('a port in use is one line and 1', async () => {
    const holder = createServer();
    const port = await new Promise<number>((resolve) => {
      holder.listen(0, '127.0.0.1', () => resolve((holder.address() as { port: number }).port));
    });
    const { code, error } = await sarrafHere(['exchange', '--port', String(port)]);
    await new Promise((resolve) => holder.close(resolve));
    expect(code).toBe(1);
    expect(error).toBe(`127.0.0.1:${port} is in use: expected a free port, --port 0 takes one\n`);
  });

  test('a state file that is damaged is one line and 1, and stays as it is', async () => {
    const file = join(folder, 'exchange.json');
    writeFileSync(file, '{"format":');
    const { code, error, out } = await sarrafHere(['exchange', '--port', '0', '--state', file]);
    expect([code, out, error.trim().split('\n').length]).toEqual([1, '', 1]);
    expect(error).toContain('exchange.json');
    expect(readFileSync(file, 'utf8')).toBe('{"format":');
  });

  test('a folder that is not there or not ours to write in is one line and 1', async () => {
    const file = join(folder, 'none', 'exchange.json');
    const { code, error } = await sarrafHere(['exchange', '--port', '0', '--state', file]);
    expect([code, error.trim().split('\n').length]).toEqual([1, 1]);
    expect(error).toMatch(/can not be written/);
    expect(existsSync(file)).toBe(false);
  });

  test('help has an example and ends with 0', async () => {
    expect(await sarrafHere(['exchange', '--help'])).toEqual(
      printed('sarraf exchange --port 8900 --config config/exchange.yaml'),
    );
  });
});
