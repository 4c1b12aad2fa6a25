import { Command } from 'commander';
import { describe, expect, it, test } from 'vitest';
import { withCommandHelp, COMMANDS } from '../../../src/cli/run-sarraf.ts';
import { startSarraf } from '../../support/sarraf-process.ts';
import { tableLines } from '../../../src/cli/table.ts';

function helpTexts(command: Command): readonly string[] {
  return [command.helpInformation(), ...command.commands.flatMap((below) => helpTexts(below))];
}

describe('the list of commands', () => {
  it.each(Object.entries(COMMANDS))(
    'names %s and its arguments as the command itself does',
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

  it.each(Object.entries(COMMANDS))('has help of %s that shows no empty default', async (_, { load }) => {
    for (const text of helpTexts(withCommandHelp(await load(async () => new Command())))) {
      expect(text).toContain('Options:');
      expect(text.replaceAll(/\s+/g, ' ')).not.toMatch(/default: *(\[\]|\{\}|""|\))/);
    }
  });

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

test('a cell that others wrote moves no cursor, turns no line, and takes one line', () => {
  const rows = [
    ['grid', 'on.book: \u001B[2J\u202E\u2067it\nforged  row\r\u009B31m'],
    ['سفارش', 'well'],
  ];
  expect(tableLines([{ title: 'strategy' }, { title: 'why' }], rows)).toEqual([
    'strategy  why',
    'grid      on.book: ?[2J??it forged  row??31m',
    'سفارش     well',
  ]);
});
