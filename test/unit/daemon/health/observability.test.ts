import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Metrics } from '../../../../src/daemon/health/metrics.ts';
import { wellSource } from './well-source.ts';
import { EquityWatch } from '../../../../src/daemon/run/operator.ts';
import type { FigureSource } from '../../../../src/mirror/read-series.ts';

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

/** Series with one value each ms; `read` counts the values that were read. */
class MadeUpFigures implements FigureSource {
  read = 0;
  readonly series: Record<string, (string | null)[]> = {
    'equity/rls': ['1000', '1500', '1350'],
    // Half of the money that came in was a deposit.
    'profit/rls': ['0', '100', '-50'],
    'equity/usdt': [],
  };

  figures(name: string, { fromMs }: { readonly fromMs: number }) {
    const all = (this.series[name] ?? []).map((value, index) => ({ atMs: index, value }));
    const wanted = all.filter(({ atMs }) => atMs >= fromMs);
    this.read += wanted.length;
    return wanted;
  }

  figureNames(prefix: string) {
    return Object.keys(this.series).filter((name) => name.startsWith(prefix));
  }
}

test('shows the last equity and its fall, without what was paid in, and reads once a minute', () => {
  let nowMs = 0;
  const figures = new MadeUpFigures();
  const watch = new EquityWatch(figures, () => nowMs);
  // The highest value is 1350 + 150, as if all deposits so far had been there then.
  expect(watch.snapshot()).toEqual([{ currency: 'rls', value: '1350', drawdown: 0.1 }]);
  figures.series['equity/rls']?.push('1400');
  figures.series['profit/rls']?.push('0');
  nowMs = 59_999;
  expect(watch.snapshot()).toMatchObject([{ value: '1350' }]);
  nowMs = 60_000;
  // The highest value is 1400 + 100.
  expect(watch.snapshot()).toEqual([{ currency: 'rls', value: '1400', drawdown: 0.0667 }]);
});

test('reads every value once, and shows none while the last has none', () => {
  let nowMs = 0;
  const figures = new MadeUpFigures();
  const watch = new EquityWatch(figures, () => nowMs);
  watch.snapshot();
  expect(figures.read).toBe(6);
  figures.series['equity/rls']?.push(null);
  nowMs = 60_000;
  expect(watch.snapshot()).toEqual([]);
  figures.series['equity/rls']?.push('1500');
  figures.series['profit/rls']?.push('100');
  nowMs = 120_000;
  expect(watch.snapshot()).toEqual([{ currency: 'rls', value: '1500', drawdown: 0 }]);
  nowMs = 180_000;
  watch.snapshot();
  expect(figures.read).toBe(9);
});
