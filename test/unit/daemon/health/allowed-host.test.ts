import { expect, test } from 'vitest';
import { isAllowedHost, oneHost } from '../../../../src/daemon/allowed-host.ts';

test('a request has one host, whatever its headers hold beside it', () => {
  expect(oneHost(['Accept', 'host', 'Host', 'localhost:7080'])).toBe('localhost:7080');
  expect(oneHost(['accept', '*/*'])).toBeNull();
});

test('a request with two hosts is for nobody', () => {
  const host = oneHost(['Host', 'localhost:7080', 'HOST', 'evil.example']);
  expect(host).toBeNull();
  expect(isAllowedHost(host, '127.0.0.1', [])).toBe(false);
});
