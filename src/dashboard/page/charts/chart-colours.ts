/** The colours of the style sheet, which a canvas can not read by itself. */
interface ChartColours {
  readonly text: string;
  readonly line: string;
  readonly surface: string;
  readonly accent: string;
  readonly up: string;
  readonly down: string;
  readonly series: readonly string[];
  readonly font: string;
}

export function chartColours(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of('muted'),
    line: of('line'),
    surface: of('surface'),
    accent: of('accent'),
    up: of('good'),
    down: of('bad'),
    series: ['accent', 'series-2', 'series-3', 'series-4', 'series-5'].map(of),
    font: style.getPropertyValue('--font').trim(),
  };
}
