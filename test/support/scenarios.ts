import { test } from 'vitest';

const isText = (value: unknown): value is string | number | bigint =>
  ['string', 'number', 'bigint'].includes(typeof value);
const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * Registers a test for each scenario of a text. A line at the left names a scenario, and the lines that are
 * indented further are its steps. An object or a function in the text is the settings of its scenario; what
 * follows it on its line is a step too. In `title`, `%s` stands for the name.
 *
 *     scenarios(runCandleTable)`
 *       fills when it is touched where that is set ${{ limitFill: 'touch' }}
 *         buy limit 2 @99 => Active
 *         bar 100 101 99 100 => 1 2@99 maker
 *
 *       rests otherwise
 *         ...
 *     `;
 */
export const scenarios =
  <Settings extends object | undefined>(run: (steps: string, settings: Settings) => unknown, title = '%s') =>
  (parts: TemplateStringsArray, ...values: readonly (Settings | string | number | bigint)[]): void => {
    const words = values.map((value, index) => (isText(value) ? String(value) : `\0${index}\0`));
    const text = String.raw(parts, ...words);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const left = Math.min(...lines.map(indentOf));
    for (const [index, line] of lines.entries()) {
      if (indentOf(line) > left) continue;
      const next = lines.findIndex((other, at) => at > index && indentOf(other) === left);
      const scenario = lines.slice(index, next === -1 ? undefined : next).join('\n');
      const settings = /\0(\d+)\0/.exec(scenario);
      const [name = '', ...steps] = scenario
        .replace(/ *\0\d+\0:?/, '\n')
        .split('\n')
        .map((step) => step.trim());
      const given = steps.filter((step) => step !== '').join('\n');
      test(
        title.replace('%s', () => name),
        () => run(given, values[Number(settings?.[1] ?? -1)] as Settings),
      );
    }
  };
