import { Command } from 'commander';
import { describe, expect, it, test } from 'vitest';
import { withCommandHelp, COMMANDS } from '../../../src/cli/run-sarraf.ts';
import { startSarraf } from '../../support/sarraf-process.ts';
import { tableLines } from '../../../src/cli/table.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { CALLS, isPaged, OF_PAGING } from '../../../src/cli/api/call-catalogue.ts';
import { callHelp } from '../../../src/cli/commands/api.ts';
import { join } from 'node:path';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests();

describe('sarraf run', () => {
  test.each([
    ['a time of nothing', ['--for', '0s'], 'expected a length of time'],
    ['a speed of nothing', ['--speed', '0'], 'expected a number above 0'],
    [
      'a market for a recording',
      ['--market', 'BTCIRT', '--replay', 'candles.csv'],
      '--market or --replay, were both',
    ],
    ['a market that it does not have', ['--market', 'FOO'], 'expected a market such as'],
    ['a recording that is not there', ['--replay', 'nothing.csv'], 'nothing.csv, found none'],
  ])('refuses %s in one line', async (_, args, message) => {
    const { code, error } = await sarrafHere(['run', `--data=${join(folder, 'none')}`, ...args]);
    expect([code, error.trim().split('\n').length]).toEqual([2, 1]);
    expect(error).toContain(message);
  });

  test('leaves the data of another run alone', async () => {
    const lock = claimDataFolder(folder);
    try {
      expect(await sarrafHere(['run', '--for=1s', `--data=${folder}`])).toEqual(
        failed(1, /^DATA_UNUSABLE: expected .* for this run alone; pid \d+ .* has it: .*--data\n$/),
      );
    } finally {
      lock[Symbol.dispose]();
    }
  });
});

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

test.each([
  ['--hours', 'six'],
  ['--jobs', '1000'],
])('sarraf fuzz refuses %s %s', async (option, value) => {
  expect(await sarrafHere(['fuzz', option, value])).toEqual(failed(2, option));
});

const helpTexts = (command: Command): readonly string[] => [
  command.helpInformation(),
  ...command.commands.flatMap((below) => helpTexts(below)),
];

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
    expect(help.out.match(/^[A-Z].+:$/gm)).toContain('Steer a bot:');
    expect(helpOfOne.out).toContain('Usage: sarraf plan [options]');
    expect(mistyped).toEqual(failed(2, 'Did you mean status?'));
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
