import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/command-table.ts';
import { startSarraf } from '../../support/sarraf-process.ts';

describe('the list of commands', () => {
  it.each(Object.entries(COMMANDS))(
    'tells of %s what the command itself is',
    async (name, { takes = '', load }) => {
      const command = await load(async () =>
        Promise.reject(new Error('expected no other command to be asked for')),
      );
      const taken = command.registeredArguments.map((argument) =>
        argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      );
      expect({ name: command.name(), takes: taken.join(' ') }).toEqual({ name, takes });
    },
  );

  it('has one line for each, which ends with a full stop', () => {
    for (const { summary } of Object.values(COMMANDS)) expect(summary).toMatch(/^[A-Z].{10,90}\.$/s);
  });

  it('is what help shows, and where a mistyped name is looked for', async () => {
    const [help, helpOfOne, mistyped] = await Promise.all([
      startSarraf(['--help']).finished,
      startSarraf(['help', 'plan']).finished,
      startSarraf(['stauts']).finished,
    ]);
    for (const name of Object.keys(COMMANDS)) expect(help.out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    expect(helpOfOne.out).toContain('Usage: sarraf plan [options]');
    expect(mistyped).toMatchObject({ code: 2, error: expect.stringContaining('Did you mean status?') });
  });
});
