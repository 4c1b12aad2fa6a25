import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CALLS } from '../../../../src/cli/api/call-catalogue.ts';
import { sarrafHere } from '../../../support/sarraf-here.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const folder = folderOfAllTests();
beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out, error } = await sarrafHere(['completion', shell]);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    writeFileSync(join(folder, shell), out);
  }
});

/** Returns the words that bash offers after each of these lines. */
function offered(lines: readonly string[]): readonly (readonly string[])[] {
  const script = [
    `source '${join(folder, 'bash')}'`,
    'while IFS= read -r COMP_LINE; do COMP_POINT=${#COMP_LINE}; _sarraf; echo "${COMPREPLY[*]}"; done',
  ].join('\n');
  const out = execFileSync('bash', ['--norc', '-c', script], {
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
  });
  return out
    .split('\n')
    .slice(0, lines.length)
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

describe('in bash', () => {
  test('every call is offered, and behind it each of its fields', () => {
    const [calls, ...fields] = offered(['sarraf api ', ...CALLS.map(({ word }) => `sarraf api ${word} `)]);
    expect(calls).toEqual(expect.arrayContaining(CALLS.map(({ word }) => word)));
    for (const [index, call] of CALLS.entries()) {
      const words = fields[index]?.filter((word) => word.endsWith('='));
      expect(words).toEqual(call.fields.map(({ name }) => `${name}=`));
    }
  });

  test('the values of a field, an option and an argument are', () => {
    expect(
      offered([
        'sarraf api transfer currency=usdt src=',
        'sarraf api transfer src=m',
        'sarraf orders --state pl',
        'sarraf completion z',
        'sarraf api transfer currency=',
      ]),
    ).toEqual([['spot', 'margin'], ['margin'], ['planned'], ['zsh'], []]);
  });

  test('commands and their options are', () => {
    const [commands = [], place = [], files = []] = offered([
      'sarraf ',
      'sarraf order place --s',
      'sarraf api transfer --config ',
    ]);
    expect(commands).toEqual(
      expect.arrayContaining(['run', 'api', 'order', 'withdraw', 'login', 'completion']),
    );
    expect(place).toEqual(['--stop', '--stop-limit', '--strategy']);
    // Without words of ours bash offers file names itself.
    expect(files).toEqual([]);
  });
});

const hasShell = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;
const lists = (text: string): readonly (readonly string[])[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/[<> ]+/).filter((word) => word !== '' && word !== 'over'));

/** Shells, each with how it is asked for the words that it offers after some lines. */
const OFFERED: Readonly<
  Record<string, (shell: string, lines: readonly string[]) => readonly (readonly string[])[]>
> = {
  zsh(shell, lines) {
    const script = join(import.meta.dirname, 'offered-by.zsh');
    const input = `${lines.join('\n')}\n`;
    return lists(execFileSync(shell, ['-f', script, join(folder, 'zsh')], { input, encoding: 'utf8' }));
  },
  fish(shell, lines) {
    const asked = lines.map((line) => `echo (complete -C '${line}' | string split -f 1 \\t)`);
    const script = [`source '${join(folder, 'fish')}'`, ...asked].join('\n');
    const environment = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    return lists(execFileSync(shell, ['--no-config', '-c', script], { env: environment, encoding: 'utf8' }));
  },
};

describe.each(Object.entries(OFFERED))('in %s', (shell, offeredBy) => {
  test.skipIf(!hasShell(shell))(
    `commands, fields and values are (skipped where there is no ${shell})`,
    () => {
      const [commands, call, state, field, shells, place] = offeredBy(shell, [
        'sarraf ',
        'sarraf api transfer ',
        'sarraf orders --state pl',
        'sarraf api transfer currency=usdt src=m',
        'sarraf completion z',
        'sarraf order place --stop',
      ]);
      expect(commands).toEqual(
        expect.arrayContaining(['run', 'api', 'order', 'withdraw', 'login', 'completion']),
      );
      expect(call).toEqual(expect.arrayContaining(['currency=', 'src=', 'dst=', '--config']));
      expect([state, field, shells]).toEqual([['planned'], ['src=margin'], ['zsh']]);
      expect(place?.toSorted()).toEqual(['--stop', '--stop-limit']);
    },
  );
});

describe.each(['bash', 'zsh', 'fish'])('the script for %s', (shell) => {
  test.skipIf(!hasShell(shell))('is one that the shell can read', () => {
    expect(spawnSync(shell, ['-n', join(folder, shell)], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

test('a shell that nobody knows is refused, and any other can have the words', async () => {
  const wrong = await sarrafHere(['completion', 'tcsh']);
  expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  const { out } = await sarrafHere(['completion', 'bash', '--json']);
  const { places } = JSON.parse(out) as { readonly places: readonly { readonly place: string }[] };
  expect(places.find(({ place }) => place === 'api transfer')).toMatchObject({
    values: { src: ['spot', 'margin'] },
  });
});
