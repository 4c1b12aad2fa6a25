import { colour } from '../../../page/theme.ts';

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
  return {
    text: colour('muted'),
    line: colour('line'),
    surface: colour('surface'),
    accent: colour('accent'),
    up: colour('good'),
    down: colour('bad'),
    series: ['accent', 'series-2', 'series-3', 'series-4', 'series-5'].map(colour),
    font: colour('font'),
  };
}
