import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPackage } from '../../../../src/cli/doctor/run-doctor.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const folder = folderOfEachTest();

const checked = (content: string) => {
  writeFileSync(join(folder, 'package.json'), content);
  return checkPackage(folder, { 'a-native-part': '5.0.0', other: '1.0.0' });
};

test('the folder of a bot that an older init made lacks overrides, and gets the remedy', () => {
  const bot = { dependencies: { sarraf: '0.1.0' }, overrides: { other: '2.0.0' } };
  expect(checked(JSON.stringify(bot))).toEqual([
    {
      check: 'package',
      verdict: 'warning',
      text: `${folder}/package.json has no overrides of a-native-part: "npm ci" refuses its lock file, so no image is built`,
      remedy: `add "overrides":{"a-native-part":"5.0.0"} to ${folder}/package.json, remove package-lock.json and node_modules, and run "npm install"`,
    },
  ]);
  const mended = { ...bot, overrides: { other: '2.0.0', 'a-native-part': '5.0.0' } };
  expect(checked(JSON.stringify(mended))).toMatchObject([{ verdict: 'ok' }]);
});

test('what is no package of a bot is left alone', () => {
  expect(checkPackage(folder)).toEqual([]);
  expect(checked('{ "name": "sarraf" }')).toEqual([]);
  expect(checked('{ "dependencies": [')).toMatchObject([{ verdict: 'not checked' }]);
});
