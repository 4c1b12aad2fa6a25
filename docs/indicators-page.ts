import { readFileSync } from 'node:fs';
import { usualOf, type IndicatorEntry } from '../src/strategy/indicators/declare-indicator.ts';
import { INDICATORS } from '../src/strategy/indicators/indicator-table.ts';

const FOLDER = 'src/strategy/indicators';

/** The files of declarations, with what stands above their part of the page. */
const PARTS = {
  averages: 'Averages',
  trends: 'Trends',
  stops: 'Stops',
  oscillators: 'Oscillators with a range',
  momentum: 'Momentum',
  volatility: 'Volatility and bands',
  volume: 'Volume',
} as const;

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

The page is generated from \`${FOLDER}/\`.
`;

/** The page of every indicator. Throws for one without a comment. */
export function indicatorsPage(): string {
  const sections = Object.entries(PARTS).map(([file, title]) => {
    const source = readFileSync(`${FOLDER}/${file}.ts`, 'utf8');
    const rows = [...source.matchAll(DECLARATION)].flatMap(([, comment = '', name = '']) => {
      const entry = INDICATORS.get(name);
      return entry === undefined ? [] : [rowOf(entry, comment)];
    });
    const head = '| indicator | value | ranges | first | warm-up |\n| --- | --- | --- | --- | --- |';
    return { count: rows.length, text: `\n## ${title}\n\n${head}\n${rows.join('\n')}\n` };
  });
  const written = sections.reduce((total, { count }) => total + count, 0);
  if (written !== INDICATORS.size) {
    throw new Error(
      `expected a comment above each of ${INDICATORS.size} indicators in ${FOLDER}, found ${written}`,
    );
  }
  return INTRODUCTION + sections.map(({ text }) => text).join('');
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
