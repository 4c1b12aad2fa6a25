import { test } from 'vitest';

const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * Registers a test for each scenario of a text. A line at the left names a scenario, and the lines that are
 * indented further are its steps. An object in the text is the settings of its scenario:
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
  <Settings extends object>(run: (steps: string, settings?: Settings) => void) =>
  (parts: TemplateStringsArray, ...values: readonly (Settings | string | number | bigint)[]): void => {
    const wordOf = (index: number) => (typeof values[index] === 'object' ? `\0${index}\0` : values[index]);
    const text = parts.reduce((before, part, index) => `${before}${wordOf(index - 1)}${part}`);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const left = Math.min(...lines.map(indentOf));
    for (const [index, name] of lines.entries()) {
      if (indentOf(name) > left) continue;
      const next = lines.findIndex((line, at) => at > index && indentOf(line) === left);
      const scenario = lines.slice(index, next === -1 ? undefined : next).join('\n');
      const settings = /\0(\d+)\0/.exec(scenario);
      const [title = '', ...steps] = scenario.replace(/ *\0\d+\0/, '').split('\n');
      test(title.trim(), () =>
        run(steps.join('\n'), settings === null ? undefined : (values[Number(settings[1])] as Settings)),
      );
    }
  };
