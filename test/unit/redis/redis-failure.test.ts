import { expect, test } from 'vitest';
import { redisFailure } from '../../../src/redis/redis-server.ts';

const failing = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

test.each([
  [failing('connect ECONNREFUSED', 'ECONNREFUSED'), 'nothing that listens there', false],
  [failing('getaddrinfo', 'ENOTFOUND'), 'no host of that name', false],
  [failing('WRONGPASS invalid username-password pair'), /^that it refuses the password: give it/, true],
  [failing('NOAUTH Authentication required.'), /^that it refuses the password: give it/, true],
  [
    failing("NOPERM this user has no permissions to run the 'set' command"),
    /^a user without the right/,
    true,
  ],
  [
    failing('self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
    /^a certificate that the server signed itself/,
    true,
  ],
  [failing('SSL routines: wrong version number', 'EPROTO'), /^a port that speaks no TLS/, true],
  [failing('LOADING Redis is loading\nmore'), 'LOADING Redis is loading', false],
  [failing("OOM command not allowed when used memory > 'maxmemory'."), /^that its memory is full/, false],
  [
    Object.assign(failing('EXECABORT Transaction discarded'), { previousErrors: [failing('OOM command')] }),
    /^that its memory is full/,
    false,
  ],
  [failing('MISCONF Redis is configured to save RDB snapshots'), /^that it can not write to its disk/, false],
  [failing("READONLY You can't write against a read only replica."), /^a replica/, false],
  [failing('Unknown RESP type 60 "<". Please report this.'), 'something that is no Redis', false],
  [new AggregateError([failing('', 'ECONNREFUSED')]), 'nothing that listens there', false],
  ['odd', 'odd', false],
])('%s is said in words', (error, reason, isRefusal) => {
  const found = redisFailure(error);
  expect(found.isRefusal).toBe(isRefusal);
  if (typeof reason === 'string') expect(found.reason).toBe(reason);
  else expect(found.reason).toMatch(reason);
});
