import { readFileSync } from 'node:fs';
import { usualOf, type IndicatorEntry } from '../src/strategy/indicators/declare-indicator.ts';
import { INDICATORS } from '../src/strategy/indicators/indicators.ts';

const FOLDER = 'src/strategy/indicators';

interface IndicatorPage {
  /** What stands above the tables. */
  readonly introduction: string;
  /** The files of declarations, with the titles of their tables. */
  readonly parts: Readonly<Record<string, string>>;
}

/** A comment for editors and the name of what it is about. */
const DECLARATION = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+)/g;

const INTRODUCTION = `# Indicators

This page lets you look up each indicator: its parameters, their ranges, the units of its value, and its warm-up. For example:

\`\`\`ts
indicators: ({ bars }) => ({ fast: ema(bars, 10), bands: bollinger(bars, 20, 2) }),
\`\`\`

The first argument is the candles that \`data\` declares. You may leave out all others: each row shows their defaults.

- A value is null before its first bar, and when its formula divides by zero.
- Values are floats. "In price" means the market's quote currency, "in coins" the base currency.
- \`first\` is the first bar with a value, counted from 1. \`warm-up\` is the number of bars that are read before the first live
  one. Both are for the parameters shown.
- A window of bars needs that window. An average that never forgets warms up until its beginning has less than a thousandth
  of the weight: 3.5 (n + 1) bars for the weight 2 / (n + 1), 7 n for Wilder's 1 / n, the sum of them for averages of
  averages, at most 499.
- Lines that usually sum up from the first bar (\`obv\`, \`accumulation\`, \`priceVolumeTrend\`, \`williamsAccumulation\`,
  \`accumulatedSwing\`, \`vwap\`) use the last \`length\` bars here. Otherwise their level would depend on the bot's start.
- Exponential averages within other indicators begin with their first value. \`ema\`, \`macd\` and \`trix\` begin with the simple
  average. After the warm-up both are the same.
- \`connorsRsi\`, \`hilbertTrendline\` and \`mama\` take about 50 µs a bar, most others one to twenty. That is slow in a backtest
  on a million bars.
- Tests compare each with a plain formula from its publication, to 1e-9 of its size (\`test/property/indicator-oracle/\`).

Averages, trends and stops are below. Two more pages have [oscillators and momentum](indicators-momentum.md), and
[volatility and volume](indicators-volatility.md). They are generated from \`${FOLDER}/\`.
`;

const introductionOf = (title: string): string => `# ${title}

This page lets you look up these indicators. [indicators.md](indicators.md) says what holds for all of them. The page is generated
from \`${FOLDER}/\`.
`;

const PAGES: Readonly<Record<string, IndicatorPage>> = {
  indicators: {
    introduction: INTRODUCTION,
    parts: { averages: 'Averages', trends: 'Trends and stops' },
  },
  'indicators-momentum': {
    introduction: introductionOf('Oscillators and momentum'),
    parts: { oscillators: 'Oscillators with a range', momentum: 'Momentum' },
  },
  'indicators-volatility': {
    introduction: introductionOf('Volatility and volume'),
    parts: { volatility: 'Volatility and bands', volume: 'Volume' },
  },
};

/** The pages of all indicators, by name. Throws for an indicator without a comment. */
export function indicatorPages(): ReadonlyMap<string, string> {
  let written = 0;
  const pages = Object.entries(PAGES).map(([page, { introduction, parts }]) => {
    const sections = Object.entries(parts).map(([file, title]) => {
      const source = readFileSync(`${FOLDER}/${file}.ts`, 'utf8');
      const rows = [...source.matchAll(DECLARATION)].flatMap(([, comment = '', name = '']) => {
        const entry = INDICATORS.get(name);
        return entry === undefined ? [] : [rowOf(entry, comment)];
      });
      written += rows.length;
      const head = '| indicator | value | ranges | first | warm-up |\n| --- | --- | --- | --- | --- |';
      return `\n## ${title}\n\n${head}\n${rows.join('\n')}\n`;
    });
    return [page, introduction + sections.join('')] as const;
  });
  if (written !== INDICATORS.size) {
    throw new Error(
      `expected a comment above each of ${INDICATORS.size} indicators in ${FOLDER}, found ${written}`,
    );
  }
  return new Map(pages);
}

function rowOf(entry: IndicatorEntry, comment: string): string {
  const text = comment
    .replaceAll(/\s*\n\s*\*\s?/g, ' ')
    .trim()
    .replaceAll('|', '\\|');
  const { first, settledAfter } = entry.check(usualOf(entry.params));
  const ranges = Object.entries(entry.params).map(([name, { least, most }]) => `${name} ${least} to ${most}`);
  return `| \`${declarationOf(entry)}\` | ${text} | ${ranges.join(', ')} | ${first} | ${settledAfter} |`;
}

function declarationOf({ kind, params }: IndicatorEntry): string {
  const usual = Object.entries(usualOf(params));
  const isByPlace = usual.length <= 1 && usual.every(([name]) => name === 'length');
  if (isByPlace || kind === 'bollinger')
    return `${kind}(${['bars', ...usual.map(([, value]) => value)].join(', ')})`;
  return `${kind}(bars, { ${usual.map(([name, value]) => `${name}: ${value}`).join(', ')} })`;
}
