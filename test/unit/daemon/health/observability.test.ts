import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Metrics } from '../../../../src/daemon/health/metrics.ts';
import { wellSource } from './well-source.ts';

const FOLDER = 'config/observability';

async function served(): Promise<ReadonlySet<string>> {
  const metrics = new Metrics(() => wellSource());
  const text = await metrics.text();
  metrics.close();
  return new Set([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '']) => name));
}

/** Returns the metrics that an expression queries; a histogram by its own name, without `_bucket`. */
function namesIn(expression: string): readonly string[] {
  return [...expression.matchAll(/\b(?:sarraf|process)_[a-z_]+/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  );
}

const expressionsOf = (file: string): readonly string[] =>
  [...readFileSync(`${FOLDER}/${file}`, 'utf8').matchAll(/"?expr"?: (.*)$/gm)].map(([, text = '']) => text);

test.each([
  ['grafana-dashboard.json', 20],
  ['rules.yaml', 12],
])('%s asks for nothing that a bot does not serve', async (file, least) => {
  const expressions = expressionsOf(file);
  expect(expressions.length).toBeGreaterThan(least);
  const known = await served();
  expect(expressions.flatMap(namesIn).filter((name) => !known.has(name))).toEqual([]);
});

test('every rule says how grave it is, what is seen and what to do', () => {
  const { groups } = parse(readFileSync(`${FOLDER}/rules.yaml`, 'utf8')) as {
    readonly groups: readonly {
      readonly rules: readonly {
        readonly alert: string;
        readonly labels: { readonly severity: string };
        readonly annotations: { readonly summary: string; readonly action: string };
      }[];
    }[];
  };
  for (const { alert, labels, annotations } of groups.flatMap(({ rules }) => rules)) {
    expect(['critical', 'warning'], alert).toContain(labels.severity);
    expect([annotations.summary.at(-1), annotations.action.at(-1)], alert).toEqual(['.', '.']);
  }
});

test('the page of the rules names each of them', () => {
  const page = readFileSync('docs/observability.md', 'utf8');
  const rules = [...readFileSync(`${FOLDER}/rules.yaml`, 'utf8').matchAll(/- alert: (\S+)/g)];
  expect(rules.map(([, name]) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
