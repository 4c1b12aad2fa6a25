import { describe, expect, test } from 'vitest';
import { CALLS, isPaged, OF_PAGING } from '../../../src/cli/api/call-catalogue.ts';
import { callHelp } from '../../../src/cli/commands/api.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';

describe('a command that does not exist', () => {
  test.each([
    [['nosuch'], "unknown command 'nosuch'"],
    [['nosuch', '--help'], "unknown command 'nosuch'"],
    [['statis', '-h'], 'Did you mean status?'],
    [['study', 'nosuch', '--help'], "unknown command 'nosuch'"],
    [['api', 'profil', '--help'], 'profil: unknown call, did you mean profile?'],
  ])('%j says so, and shows no help of another command', async (args, words) => {
    const { code, out, error } = await sarrafHere(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(words);
  });

  test.each([[['status', '--help']], [['api', 'profile', '-h']], [['help']]])(
    '%j is help, which exits with 0',
    async (args) => {
      const { code, out, error } = await sarrafHere(args);
      expect({ code, error }).toEqual({ code: 0, error: '' });
      expect(out).toContain('Usage: sarraf');
    },
  );
});

describe('under --json', () => {
  test.each([
    [['status', '--data', '/nowhere'], 1, 'DATA_UNUSABLE', /^expected a mirror/],
    [['orders', '--nix'], 2, 'WRONG_INPUT', /^unknown option '--nix'$/],
    [['nosuch'], 2, 'WRONG_INPUT', /^unknown command 'nosuch'$/],
    [['api', 'nosuch'], 2, 'WRONG_INPUT', /unknown call/],
    [['health', '--data', '/nowhere'], 1, 'FAILED', /expected/],
  ])('%j ends with its error as one JSON object', async (args, exitCode, errorCode, words) => {
    const { code, out, error } = await sarrafHere([...args, '--json']);
    expect({ code, out }).toEqual({ code: exitCode, out: '' });
    const { error: told } = JSON.parse(error) as { error: { code: string; message: string } };
    expect(told).toEqual({ code: errorCode, message: expect.stringMatching(words) });
  });

  test('an option behind a call belongs to the call, and one behind its group to the group', async () => {
    const { code, out, error } = await sarrafHere(['api', 'options', '--json', '--url', 'nowhere']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(error)).toHaveProperty('error.code', 'WRONG_INPUT');
    const { out: list } = await sarrafHere(['api', '--json']);
    expect(JSON.parse(list)).toHaveProperty('calls');
  });
});

test('no example of --all names a field by which pages are gone through', () => {
  for (const call of CALLS.filter(isPaged)) {
    const [example = ''] = /sarraf api .* --all .*/.exec(callHelp(call)) ?? [];
    expect(example).not.toBe('');
    for (const field of OF_PAGING) expect(example).not.toContain(` ${field}=`);
  }
});
